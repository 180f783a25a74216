#include "nn/layers/feed_forward.h"

#include "autograd/ops.h"

namespace vitro::nn {

Variable activate(const Variable& x, Activation activation) {
  switch (activation) {
    case Activation::kGeluTanh:
      return gelu(x, Gelu::kTanh);
    case Activation::kGeluErf:
      return gelu(x, Gelu::kErf);
    case Activation::kRelu:
      return relu(x);
    case Activation::kSilu:
      return silu(x);
  }
  throw_invalid({"activate: unknown activation ", static_cast<int>(activation)});
}

FeedForward::FeedForward(Index channels, Index hidden, Activation activation, Rng& rng, Bias bias)
    : expand_(add_module<Linear>("expand", channels, hidden, rng, bias)),
      contract_(add_module<Linear>("contract", hidden, channels, rng, bias)),
      activation_(activation) {}

Variable FeedForward::forward(const Variable& x, const Variable& residual) {
  const Variable hidden = expand_(x);                     // [.., hidden]
  const Variable active = activate(hidden, activation_);  // [.., hidden]
  return contract_(active, residual);                     // [.., channels]
}

}  // namespace vitro::nn
