#include "nn/layers/multi_head_attention.h"

#include <algorithm>
#include <stdexcept>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/positions.h"
#include "tensor/views.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

constexpr Scalar kRotaryBase = 10000;

std::string divisors_text(Index number) {
  std::string text;
  for (Index divisor = 1; divisor <= number; ++divisor) {
    if (number % divisor == 0) text += (text.empty() ? "" : ", ") + join_text({divisor});
  }
  return text;
}

Index checked_channels(const MultiHeadAttentionOptions& options) {
  check_size(options.channels, "MultiHeadAttention", "channels");
  check_size(options.head_count, "MultiHeadAttention", "head_count");
  if (options.channels % options.head_count != 0) {
    throw_invalid({"MultiHeadAttention: ", options.channels, " channels cannot be shared by ",
                   options.head_count, " heads; head_count must be one of ",
                   divisors_text(options.channels)});
  }
  const Index head_size = options.channels / options.head_count;
  if (options.positions == HeadPositions::kRotary && head_size % 2 != 0) {
    throw_invalid({"MultiHeadAttention: rotary positions with heads of size ", head_size,
                   "; the size must be even, since pairs of numbers turn"});
  }
  return options.channels;
}

}  // namespace

Variable split_heads(const Variable& x, Index head_count) {
  if (x.rank() < 2 || head_count < 1 || x.size(-1) % head_count != 0) {
    throw ShapeError({"split_heads: ", head_count, " heads of x ", x.shape(),
                      "; x must be [.., time, channels] and the heads must divide the channels"});
  }
  std::vector<Index> sizes = x.shape().sizes();
  sizes.back() /= head_count;
  sizes.insert(sizes.end() - 1, head_count);
  const Variable by_head = reshape(x, sizes);  // [.., time, heads, head_size]
  return transpose(by_head, -3, -2);           // [.., heads, time, head_size]
}

Variable merge_heads(const Variable& x) {
  if (x.rank() < 3) {
    throw ShapeError(
        {"merge_heads: x is ", x.shape(), "; it must be [.., heads, time, head_size]"});
  }
  const Variable by_time = transpose(x, -3, -2);  // [.., time, heads, head_size]
  std::vector<Index> sizes = by_time.shape().sizes();
  sizes.pop_back();
  sizes.back() *= x.size(-1);
  return reshape(by_time, sizes);  // [.., time, heads·head_size]
}

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options, Rng& rng)
    : options_(options),
      w_qkv_(add_parameter("w_qkv", uniform_by_inputs(checked_channels(options),
                                                      3 * options.channels, rng, "w_qkv"))),
      b_qkv_(options.bias == Bias::kYes ? add_parameter("b_qkv", zeros({3 * options.channels}))
                                        : Variable()),
      w_o_(add_parameter("w_o", uniform_by_inputs(options.channels, options.channels, rng, "w_o"))),
      b_o_(options.bias == Bias::kYes ? add_parameter("b_o", zeros({options.channels}))
                                      : Variable()),
      weight_dropout_(add_module<Dropout>("weight_dropout", options.dropout, rng)) {}

Variable MultiHeadAttention::forward(const Variable& x, const AttentionMask& mask) {
  const Index channels = options_.channels;
  const Variable qkv = project(x, 0, 3);                       // [.., time, 3·channels]
  const Variable q = narrow(qkv, -1, 0, channels);             // [.., time, channels]
  const Variable k = narrow(qkv, -1, channels, channels);      // [.., time, channels]
  const Variable v = narrow(qkv, -1, 2 * channels, channels);  // [.., time, channels]
  return attend(q, k, v, mask);
}

Variable MultiHeadAttention::forward(const Variable& x, const Variable& memory,
                                     const AttentionMask& mask) {
  const Index channels = options_.channels;
  const Variable q = project(x, 0, 1);                    // [.., time, channels]
  const Variable kv = project(memory, 1, 2);              // [.., keys, 2·channels]
  const Variable k = narrow(kv, -1, 0, channels);         // [.., keys, channels]
  const Variable v = narrow(kv, -1, channels, channels);  // [.., keys, channels]
  return attend(q, k, v, mask);
}

// x times `third_count` thirds of w_qkv, from the given one on.
Variable MultiHeadAttention::project(const Variable& x, Index first_third, Index third_count) {
  const Index channels = options_.channels;
  if (x.rank() < 2 || x.size(-1) != channels) {
    throw ShapeError(
        {"MultiHeadAttention: x is ", x.shape(), "; it must be [.., time, ", channels, "]"});
  }
  const bool all = third_count == 3;
  const Index start = first_third * channels;
  const Index count = third_count * channels;
  const Variable w = all ? w_qkv_ : narrow(w_qkv_, 1, start, count);
  if (options_.bias == Bias::kNo) return matmul(x, w);
  return linear(x, w, all ? b_qkv_ : narrow(b_qkv_, 0, start, count));
}

Variable MultiHeadAttention::attend(const Variable& q, const Variable& k, const Variable& v,
                                    const AttentionMask& mask) {
  Variable q_heads = split_heads(q, options_.head_count);        // [.., heads, time, head_size]
  Variable k_heads = split_heads(k, options_.head_count);        // [.., heads, keys, head_size]
  const Variable v_heads = split_heads(v, options_.head_count);  // [.., heads, keys, head_size]
  if (options_.positions == HeadPositions::kRotary) {
    // Both sequences end at the same time, as for the causal mask.
    const Index last = std::max(q.size(-2), k.size(-2));
    q_heads = rotary(q_heads, kRotaryBase, last - q.size(-2));
    k_heads = rotary(k_heads, kRotaryBase, last - k.size(-2));
  }
  const AttentionMask head_mask =
      for_heads(mask, std::max(q.rank(), k.rank()), q.size(-2), k.size(-2));
  const Variable weights = attention_weights(q_heads, k_heads, head_mask);
  const Variable mixture = matmul(weight_dropout_(weights), v_heads);
  const Variable merged = merge_heads(mixture);  // [.., time, channels]
  if (keeps_weights_) weights_ = weights;
  return b_o_.is_defined() ? linear(merged, w_o_, b_o_) : matmul(merged, w_o_);
}

// The mask with an axis for the heads, and ALiBi's bias where that is how heads know positions.
AttentionMask MultiHeadAttention::for_heads(const AttentionMask& mask, Index x_rank, Index queries,
                                            Index keys) const {
  const auto widened = [x_rank](const Tensor& part) {
    return part.rank() >= 3 && part.rank() <= x_rank ? unsqueeze(part, -3) : part;
  };
  AttentionMask wide = mask;
  wide.mask = widened(mask.mask);
  wide.bias = widened(mask.bias);
  if (options_.positions == HeadPositions::kAlibi) {
    const Index last = std::max(queries, keys);
    const Tensor square = alibi_bias(options_.head_count, last);     // [heads, last, last]
    const Tensor rows = narrow(square, 1, last - queries, queries);  // both end at the same time
    const Tensor slopes = narrow(rows, 2, last - keys, keys);        // [heads, queries, keys]
    wide.bias = mask.bias.shape() == Shape{0} ? slopes : wide.bias + slopes;
  }
  return wide;
}

const Variable& MultiHeadAttention::weights() const {
  if (!weights_.is_defined()) {
    throw std::logic_error(
        error_text({"MultiHeadAttention::weights: none are kept; call "
                    "keep_weights() before forward"}));
  }
  return weights_;
}

}  // namespace vitro::nn
