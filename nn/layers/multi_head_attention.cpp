#include "nn/layers/multi_head_attention.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/positions.h"
#include "tensor/views.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

constexpr Scalar kRotaryBase = 10000;

// "1, 2, 3, 4, 6, 12" for 12. Divisors come in pairs, so the search ends at the square root.
std::string divisors_text(Index number) {
  std::vector<Index> small;
  std::vector<Index> large;
  for (Index divisor = 1; divisor <= number / divisor; ++divisor) {
    if (number % divisor != 0) continue;
    small.push_back(divisor);
    if (divisor != number / divisor) large.push_back(number / divisor);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  std::string text;
  for (const Index divisor : small) text += (text.empty() ? "" : ", ") + join_text({divisor});
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
  const Variable qkv = project(x, 0, 3);                                 // [.., time, 3·channels]
  const Variable q = to_heads(narrow(qkv, -1, 0, channels));             // [.., heads, time, size]
  const Variable k = to_heads(narrow(qkv, -1, channels, channels));      // [.., heads, time, size]
  const Variable v = to_heads(narrow(qkv, -1, 2 * channels, channels));  // [.., heads, time, size]
  return attend(turned(q, 0), turned(k, 0), v, for_heads(mask, x.rank(), q, k));
}

Variable MultiHeadAttention::forward(const Variable& x, const Variable& memory,
                                     const AttentionMask& mask) {
  const Index channels = options_.channels;
  const Variable q = to_heads(project(x, 0, 1));                    // [.., heads, time, size]
  const Variable kv = project(memory, 1, 2);                        // [.., keys, 2·channels]
  const Variable k = to_heads(narrow(kv, -1, 0, channels));         // [.., heads, keys, size]
  const Variable v = to_heads(narrow(kv, -1, channels, channels));  // [.., heads, keys, size]
  const Index last = std::max(q.size(-2), k.size(-2));              // both end at the same time
  const Variable q_turned = turned(q, last - q.size(-2));
  const Variable k_turned = turned(k, last - k.size(-2));
  return attend(q_turned, k_turned, v, for_heads(mask, std::max(x.rank(), memory.rank()), q, k));
}

Variable MultiHeadAttention::forward(const Variable& x, KeyValueCache& cache) {
  const Index channels = options_.channels;
  const Index start = cache.length();
  const Variable qkv = project(x, 0, 3);                             // [batch, time, 3·channels]
  const Variable q = to_heads(narrow(qkv, -1, 0, channels));         // [batch, heads, time, size]
  const Variable k = to_heads(narrow(qkv, -1, channels, channels));  // [batch, heads, time, size]
  const Variable v =
      to_heads(narrow(qkv, -1, 2 * channels, channels));  // [batch, heads, time, size]
  cache.append(turned(k, start).value(), v.value());
  const Variable keys(cache.keys());      // [batch, heads, all so far, size]
  const Variable values(cache.values());  // [batch, heads, all so far, size]
  AttentionMask causal;
  causal.causal = true;
  return attend(turned(q, start), keys, values, for_heads(causal, x.rank(), q, keys));
}

Variable MultiHeadAttention::to_heads(const Variable& x) const {
  return split_heads(x, options_.head_count);
}

// Queries or keys of tokens that stand at start, start + 1, …, with rotary positions if asked for.
Variable MultiHeadAttention::turned(const Variable& heads, Index start) const {
  if (options_.positions != HeadPositions::kRotary) return heads;
  return rotary(heads, kRotaryBase, start);
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
  if (options_.bias == Bias::kNo) return matmul(x, w);  // [.., time, third_count·channels]
  return linear(x, w, all ? b_qkv_ : narrow(b_qkv_, 0, start, count));
}

Variable MultiHeadAttention::attend(const Variable& q, const Variable& k, const Variable& v,
                                    const AttentionMask& mask) {
  const Variable weights = attention_weights(q, k, mask);        // [.., heads, time, keys]
  const Variable mixture = matmul(weight_dropout_(weights), v);  // [.., heads, time, size]
  const Variable merged = merge_heads(mixture);                  // [.., time, channels]
  if (keeps_weights_) weights_ = weights;
  return b_o_.is_defined() ? linear(merged, w_o_, b_o_)  // [.., time, channels]
                           : matmul(merged, w_o_);
}

// The mask with an axis for the heads, and ALiBi's bias where that is how heads know positions.
// `x_rank` is that of the inputs before their channels were split.
AttentionMask MultiHeadAttention::for_heads(const AttentionMask& mask, Index x_rank,
                                            const Variable& q, const Variable& k) const {
  const auto widened = [x_rank](const Tensor& part) {
    return part.rank() >= 3 && part.rank() <= x_rank ? unsqueeze(part, -3) : part;
  };
  AttentionMask wide = mask;
  wide.mask = widened(mask.mask);
  wide.bias = widened(mask.bias);
  if (options_.positions == HeadPositions::kAlibi) {
    const Index queries = q.size(-2);
    const Index keys = k.size(-2);
    const Index last = std::max(queries, keys);                      // both end at the same time
    const Tensor square = alibi_bias(options_.head_count, last);     // [heads, last, last]
    const Tensor rows = narrow(square, 1, last - queries, queries);  // [heads, queries, last]
    const Tensor slopes = narrow(rows, 2, last - keys, keys);        // [heads, queries, keys]
    wide.bias = mask.has_bias() ? wide.bias + slopes : slopes;
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
