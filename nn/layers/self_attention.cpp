#include "nn/layers/self_attention.h"

#include <cmath>
#include <stdexcept>

#include "nn/init.h"

namespace vitro::nn {

SelfAttention::SelfAttention(Index d_model, Index d_k, Index d_v, Rng& rng)
    : w_q_(add_parameter("w_q", uniform_by_inputs(d_model, d_k, rng, "SelfAttention"))),
      w_k_(add_parameter("w_k", uniform_by_inputs(d_model, d_k, rng, "SelfAttention"))),
      w_v_(add_parameter("w_v", uniform_by_inputs(d_model, d_v, rng, "SelfAttention"))),
      sqrt_d_k_(std::sqrt(static_cast<Scalar>(d_k))) {}

Variable SelfAttention::forward(const Variable& x, const AttentionMask& mask) {
  const Variable q = matmul(x, w_q_);                       // [.., time, d_k]
  const Variable k = matmul(x, w_k_);                       // [.., time, d_k]
  const Variable v = matmul(x, w_v_);                       // [.., time, d_v]
  const Variable scores = matmul(q, transpose(k, -2, -1));  // [.., time, time]
  const Variable scaled = scores / sqrt_d_k_;               // variance 1, whatever d_k
  const Variable allowed = mask_scores(scaled, mask);       // -inf where not to look
  const Variable weights = softmax(allowed, /*axis=*/-1);   // each row sums to 1
  const Variable mixture = matmul(weights, v);              // [.., time, d_v]
  if (keeps_weights_) weights_ = weights;
  return mixture;
}

const Variable& SelfAttention::weights() const {
  if (!weights_.is_defined()) {
    throw std::logic_error(
        error_text({"SelfAttention::weights: none are kept; call keep_weights() before forward"}));
  }
  return weights_;
}

}  // namespace vitro::nn
