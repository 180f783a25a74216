#include "nn/layers/block.h"

#include "tensor/context.h"

#include "autograd/ops.h"

namespace vitro::nn {

BlockOptions with_positions(BlockOptions block, PositionKind positions) {
  block.positions = positions == PositionKind::kRotary  ? HeadPositions::kRotary
                    : positions == PositionKind::kAlibi ? HeadPositions::kAlibi
                                                        : HeadPositions::kNone;
  return block;
}

MultiHeadAttentionOptions attention_options(const BlockOptions& options) {
  MultiHeadAttentionOptions attention;
  attention.channels = options.channels;
  attention.head_count = options.head_count;
  attention.key_value_head_count = options.key_value_head_count;
  attention.bias = options.bias;
  attention.dropout = options.dropout;
  attention.positions = options.positions;
  return attention;
}

Index hidden_size(const BlockOptions& options) {
  if (options.hidden < 0) {
    throw_invalid({"Block: hidden is ", options.hidden,
                   "; it must be 1 or more, or 0 for four times the channels"});
  }
  return options.hidden > 0 ? options.hidden : 4 * options.channels;
}

Block::Block(const BlockOptions& options, Rng& rng)
    : norm_place_(options.norm_place),
      norm_1_(own("norm_1", make_norm(options.norm, options.channels, options.norm_epsilon))),
      attention_(add_module<MultiHeadAttention>("attention", attention_options(options), rng)),
      norm_2_(own("norm_2", make_norm(options.norm, options.channels, options.norm_epsilon))),
      feed_forward_(add_module<FeedForward>("feed_forward", options.channels, hidden_size(options),
                                            options.activation, rng, options.bias)),
      dropout_(add_module<Dropout>("dropout", options.dropout, rng)) {}

Variable Block::forward(const Variable& x, const AttentionMask& mask) {
  return combine(x, [&](const Variable& tokens, const Variable& residual) {
    return attention_(tokens, mask, residual);
  });
}

Variable Block::forward(const Variable& x, KeyValueCache& cache) {
  return combine(x, [&](const Variable& tokens, const Variable& residual) {
    return attention_(tokens, cache, residual);
  });
}

// residual + dropout(part(x)); without dropout the part's last product adds the residual itself.
Variable Block::add_part(const Variable& residual, const Part& part, const Variable& x) {
  if (context().spelled_out || dropout_.drops()) return residual + dropout_(part(x, Variable()));
  return part(x, residual);
}

Variable Block::combine(const Variable& x, const Part& attend) {
  const Part feed_forward = [&](const Variable& tokens, const Variable& residual) {
    return feed_forward_(tokens, residual);
  };
  if (norm_place_ == NormPlace::kPre) {
    const Variable attended = add_part(x, attend, norm_1_(x));
    return add_part(attended, feed_forward, norm_2_(attended));  // [.., time, channels]
  }
  const Variable attended = norm_1_(add_part(x, attend, x));
  return norm_2_(add_part(attended, feed_forward, attended));  // [.., time, channels]
}

}  // namespace vitro::nn
