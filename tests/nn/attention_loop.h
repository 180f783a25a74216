// MultiHeadAttention as a plain loop over heads, for its tests.
#pragma once

#include <vector>

#include "autograd/ops.h"

#include "nn/layers/multi_head_attention.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {

using nn::HeadPositions;
using nn::MultiHeadAttention;
using nn::MultiHeadAttentionOptions;

inline MultiHeadAttentionOptions options_of(Index channels, Index head_count,
                                            HeadPositions positions = HeadPositions::kNone) {
  MultiHeadAttentionOptions options;
  options.channels = channels;
  options.head_count = head_count;
  options.positions = positions;
  return options;
}

inline AttentionMask causal() {
  AttentionMask mask;
  mask.causal = true;
  return mask;
}

inline AttentionMask with_mask(const Tensor& tensor) {
  AttentionMask mask;
  mask.mask = tensor;
  return mask;
}

inline Variable columns(const Variable& x, Index start, Index count) {
  return narrow(x, -1, start, count);
}

// What the layer promises, head by head: x and memory [.., time, channels].
inline Variable loop_over_heads(const MultiHeadAttention& layer, Index head_count,
                                const Variable& x, const Variable& memory,
                                const std::vector<AttentionMask>& masks) {
  const Index channels = x.size(-1);
  const Index size = channels / head_count;
  const Variable w = named(layer, "w_qkv");
  const Variable b = named(layer, "b_qkv");
  std::vector<Operand> heads;
  for (Index head = 0; head < head_count; ++head) {
    const auto part = [&](const Variable& from, Index third) {
      const Index start = third * channels + head * size;
      return matmul(from, columns(w, start, size)) + columns(b, start, size);
    };
    heads.emplace_back(scaled_dot_product_attention(part(x, 0), part(memory, 1), part(memory, 2),
                                                    masks[static_cast<std::size_t>(head)]));
  }
  return matmul(cat(heads, -1), named(layer, "w_o")) + named(layer, "b_o");
}

inline constexpr double kLoopTolerance = 4 * kTolerance;

}  // namespace vitro::test
