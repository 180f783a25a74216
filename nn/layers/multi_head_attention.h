// MultiHeadAttention: several heads of attention side by side, each with a share of the channels.
#pragma once

#include "autograd/ops.h"

#include "nn/layers/dropout.h"
#include "nn/layers/key_value_cache.h"
#include "nn/layers/linear.h"
#include "nn/module.h"

namespace vitro::nn {

/// x [.., time, channels] → [.., heads, time, channels/heads]: head i gets the i-th slice of the
/// channels. Throws ShapeError where the heads do not divide them.
Variable split_heads(const Variable& x, Index head_count);

/// x [.., heads, time, head_size] → [.., time, heads·head_size]: the inverse of split_heads. Throws
/// ShapeError where x has fewer than 3 axes.
Variable merge_heads(const Variable& x);

/// How a head learns where tokens stand; kNone where something else tells.
enum class HeadPositions { kNone, kRotary, kAlibi };

struct MultiHeadAttentionOptions {
  Index channels = 0;
  Index head_count = 1;  ///< must divide channels
  /// How many heads keys and values have; each serves the same number of neighbouring query heads:
  /// 1 is multi-query attention (Shazeer, 2019), more is grouped-query attention (Ainslie et al.,
  /// 2023), 0 stands for head_count. It must divide head_count.
  Index key_value_head_count = 0;
  Bias bias = Bias::kYes;
  Scalar dropout = 0;  ///< on the weights, while training
  HeadPositions positions = HeadPositions::kNone;
};

/// concat(head_1 … head_h) W_O + b_O, where head i is attention with its own slice of Q, K and V
/// (Vaswani et al., "Attention is all you need", 2017). Weights lie as GPT-2's do: `w_qkv` is
/// [channels, 3·channels], its thirds make Q, K and V; `w_o` is [channels, channels]. With fewer
/// heads for keys and values, K and V are as much narrower: key_value_heads · head_size columns.
class MultiHeadAttention : public Layer {
 public:
  /// Throws std::invalid_argument where the heads do not divide the channels, or those of keys and
  /// values not the heads.
  MultiHeadAttention(const MultiHeadAttentionOptions& options, Rng& rng);

  /// x [.., time, channels] → the same shape; every position looks at every position.
  Variable forward(const Variable& x) override { return forward(x, AttentionMask{}); }

  /// A mask of x's rank, or lower, holds for all heads: [time, time], or [batch, time, time]. One
  /// of a rank more has an axis for the heads: [batch, heads, time, time]. A `residual` of x's
  /// shape is added to the result, in the same pass.
  Variable forward(const Variable& x, const AttentionMask& mask, const Variable& residual = {});

  /// Cross-attention: x [.., time, channels] asks, memory [.., keys, channels] answers. For
  /// positions and the causal mask both end at the same time: x may be the last rows of memory.
  Variable forward(const Variable& x, const Variable& memory, const AttentionMask& mask);

  /// Causal attention for generation: x [batch, time, channels] are the tokens that follow those in
  /// the cache, which they join. Same bits as for all tokens at once. For use under NoGrad.
  Variable forward(const Variable& x, KeyValueCache& cache, const Variable& residual = {});

  using Layer::operator();

  Variable operator()(const Variable& x, const AttentionMask& mask, const Variable& residual = {}) {
    const ModuleScope scope(*this);
    return forward(x, mask, residual);
  }

  Variable operator()(const Variable& x, KeyValueCache& cache, const Variable& residual = {}) {
    const ModuleScope scope(*this);
    return forward(x, cache, residual);
  }

  Variable operator()(const Variable& x, const Variable& memory, const AttentionMask& mask) {
    const ModuleScope scope(*this);
    return forward(x, memory, mask);
  }

  /// From now on each forward keeps its weights. Never changes the output's bits.
  void keep_weights() { keeps_weights_ = true; }

  /// The weights of the last forward, before dropout: [.., heads, time, keys]. Throws
  /// std::logic_error where keep_weights() was not called before it.
  const Variable& weights() const;

 private:
  Variable project(const Variable& x, Index start, Index count);
  Variable for_each_head(const Variable& key_or_value) const;
  Variable turned(const Variable& heads, Index start) const;
  bool is_fused() const;
  bool takes_packed() const;
  Variable attend(const Variable& q, const Variable& k, const Variable& v,
                  const AttentionMask& mask);
  Variable output(const Variable& mixture, const Variable& residual);
  AttentionMask for_heads(const AttentionMask& mask, Index x_rank, Index queries, Index keys) const;

  const MultiHeadAttentionOptions options_;
  const Index key_value_heads_;
  const Index key_channels_;  // key_value_heads · head_size: the columns of K, and of V
  const Variable w_qkv_;      // [channels, channels + 2·key_channels]
  const Variable b_qkv_;      // [channels + 2·key_channels]; undefined without a bias
  const Variable w_o_;        // [channels, channels]
  const Variable b_o_;        // [channels]; undefined without a bias
  Dropout& weight_dropout_;
  bool keeps_weights_ = false;
  Variable weights_;
};

}  // namespace vitro::nn
