// SelfAttention: one head, written as the mathematics is.
#pragma once

#include "tensor/random.h"

#include "autograd/ops.h"

#include "nn/module.h"

namespace vitro::nn {

/// Each position asks all positions and takes a weighted mixture of what they hold:
///
///     Q = X W_Q    K = X W_K    V = X W_V    attention(X) = softmax(Q Kᵀ / √d_k) V
///
/// (Vaswani et al., "Attention is all you need", 2017). X is [.., time, d_model], the result
/// [.., time, d_v]. W_Q and W_K are [d_model, d_k], W_V is [d_model, d_v].
class SelfAttention : public Layer {
 public:
  /// Throws std::invalid_argument where a size is below 1.
  SelfAttention(Index d_model, Index d_k, Index d_v, Rng& rng);

  /// Every position looks at every position.
  Variable forward(const Variable& x) override { return forward(x, AttentionMask{}); }

  /// Masked positions get a weight of exactly 0. Throws ShapeError where x does not end in
  /// [time, d_model] or the mask does not stretch to [.., time, time].
  Variable forward(const Variable& x, const AttentionMask& mask);
  using Layer::operator();

  Variable operator()(const Variable& x, const AttentionMask& mask) {
    const ModuleScope scope(*this);
    return forward(x, mask);
  }

  /// From now on each forward keeps its weights, which costs no time: they share memory.
  void keep_weights() { keeps_weights_ = true; }

  /// softmax(Q Kᵀ / √d_k) of the last forward, [.., time, time]. Throws std::logic_error where
  /// keep_weights() was not called before it.
  const Variable& weights() const;

 private:
  const Variable w_q_;  // [d_model, d_k]: what a position looks for
  const Variable w_k_;  // [d_model, d_k]: what a position offers
  const Variable w_v_;  // [d_model, d_v]: what a position gives
  const Scalar sqrt_d_k_;
  bool keeps_weights_ = false;
  Variable weights_;
};

}  // namespace vitro::nn
