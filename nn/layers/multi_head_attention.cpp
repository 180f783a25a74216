#include "nn/layers/multi_head_attention.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/context.h"
#include "tensor/create.h"
#include "tensor/positions.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"

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

// The number of heads that keys and values have.
Index checked_heads(const MultiHeadAttentionOptions& options) {
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
  const Index key_value_heads = options.key_value_head_count;
  if (key_value_heads == 0) return options.head_count;
  if (key_value_heads < 0 || options.head_count % key_value_heads != 0) {
    throw_invalid({"MultiHeadAttention: ", options.head_count, " heads cannot share the keys of ",
                   key_value_heads, "; key_value_head_count must be 0 or one of ",
                   divisors_text(options.head_count)});
  }
  return key_value_heads;
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
      key_value_heads_(checked_heads(options)),
      key_channels_(key_value_heads_ * (options.channels / options.head_count)),
      w_qkv_(add_parameter(
          "w_qkv",
          uniform_by_inputs(options.channels, options.channels + 2 * key_channels_, rng, "w_qkv"))),
      b_qkv_(options.bias == Bias::kYes
                 ? add_parameter("b_qkv", zeros({options.channels + 2 * key_channels_}))
                 : Variable()),
      w_o_(add_parameter("w_o", uniform_by_inputs(options.channels, options.channels, rng, "w_o"))),
      b_o_(options.bias == Bias::kYes ? add_parameter("b_o", zeros({options.channels}))
                                      : Variable()),
      weight_dropout_(add_module<Dropout>("weight_dropout", options.dropout, rng)) {}

Variable MultiHeadAttention::forward(const Variable& x, const AttentionMask& mask,
                                     const Variable& residual) {
  const Index channels = options_.channels;
  const Index keys = key_channels_;
  const Variable qkv = project(x, 0, channels + 2 * keys);  // [.., time, all columns]
  const AttentionMask wide = for_heads(mask, x.rank(), x.size(-2), x.size(-2));
  if (takes_packed() && !keeps_weights_) {
    return output(packed_attention(qkv, options_.head_count, wide), residual);
  }
  const Variable q_rows = narrow(qkv, -1, 0, channels);            // [.., time, channels]
  const Variable k_rows = narrow(qkv, -1, channels, keys);         // [.., time, key_channels]
  const Variable v_rows = narrow(qkv, -1, channels + keys, keys);  // [.., time, key_channels]
  const Variable q = split_heads(q_rows, options_.head_count);     // [.., heads, time, size]
  const Variable k = split_heads(k_rows, key_value_heads_);        // [.., kv heads, time, size]
  const Variable v = split_heads(v_rows, key_value_heads_);        // [.., kv heads, time, size]
  return output(attend(turned(q, 0), turned(k, 0), v, wide), residual);
}

Variable MultiHeadAttention::forward(const Variable& x, const Variable& memory,
                                     const AttentionMask& mask) {
  const Index channels = options_.channels;
  const Index keys = key_channels_;
  const Variable q_rows = project(x, 0, channels);              // [.., time, channels]
  const Variable kv = project(memory, channels, 2 * keys);      // [.., keys, 2·key_channels]
  const Variable k_rows = narrow(kv, -1, 0, keys);              // [.., keys, key_channels]
  const Variable v_rows = narrow(kv, -1, keys, keys);           // [.., keys, key_channels]
  const Variable q = split_heads(q_rows, options_.head_count);  // [.., heads, time, size]
  const Variable k = split_heads(k_rows, key_value_heads_);     // [.., kv heads, keys, size]
  const Variable v = split_heads(v_rows, key_value_heads_);     // [.., kv heads, keys, size]
  const Index last = std::max(q.size(-2), k.size(-2));          // both end at the same time
  const Variable q_turned = turned(q, last - q.size(-2));
  const Variable k_turned = turned(k, last - k.size(-2));
  const AttentionMask wide =
      for_heads(mask, std::max(x.rank(), memory.rank()), q.size(-2), k.size(-2));
  return output(attend(q_turned, k_turned, v, wide), {});
}

Variable MultiHeadAttention::forward(const Variable& x, KeyValueCache& cache,
                                     const Variable& residual) {
  const Index channels = options_.channels;
  const Index keys = key_channels_;
  const Index start = cache.length();
  const Variable qkv = project(x, 0, channels + 2 * keys);         // [batch, time, all columns]
  const Variable q_rows = narrow(qkv, -1, 0, channels);            // [batch, time, channels]
  const Variable k_rows = narrow(qkv, -1, channels, keys);         // [batch, time, key_channels]
  const Variable v_rows = narrow(qkv, -1, channels + keys, keys);  // [batch, time, key_channels]
  const Variable q = split_heads(q_rows, options_.head_count);     // [batch, heads, time, size]
  const Variable k = split_heads(k_rows, key_value_heads_);        // [batch, kv heads, time, size]
  const Variable v = split_heads(v_rows, key_value_heads_);        // [batch, kv heads, time, size]
  cache.append(turned(k, start).value(), v.value());
  const Variable all_keys(cache.keys());      // [batch, kv heads, all so far, size]
  const Variable all_values(cache.values());  // [batch, kv heads, all so far, size]
  AttentionMask causal;
  causal.causal = true;
  const AttentionMask wide = for_heads(causal, x.rank(), q.size(-2), all_keys.size(-2));
  return output(attend(turned(q, start), all_keys, all_values, wide), residual);
}

// Keys or values [.., kv heads, keys, size], each repeated for the heads that it serves:
// [.., heads, keys, size].
Variable MultiHeadAttention::for_each_head(const Variable& key_or_value) const {
  if (key_value_heads_ == options_.head_count) return key_or_value;
  const Index group = options_.head_count / key_value_heads_;
  const Variable wide = unsqueeze(key_or_value, -3);  // [.., kv heads, 1, keys, size]
  const Variable repeated =
      broadcast_to(wide, wide.shape().with_size(-3, group));  // [.., kv heads, group, keys, size]
  std::vector<Index> sizes = key_or_value.shape().sizes();
  sizes[sizes.size() - 3] = options_.head_count;
  return reshape(repeated, sizes);  // [.., heads, keys, size]
}

// Queries or keys of tokens that stand at start, start + 1, …, with rotary positions if asked for.
Variable MultiHeadAttention::turned(const Variable& heads, Index start) const {
  if (options_.positions != HeadPositions::kRotary) return heads;
  return rotary(heads, kRotaryBase, start);
}

// x times `count` columns of w_qkv, from column `start` on.
Variable MultiHeadAttention::project(const Variable& x, Index start, Index count) {
  if (x.rank() < 2 || x.size(-1) != options_.channels) {
    throw ShapeError({"MultiHeadAttention: x is ", x.shape(), "; it must be [.., time, ",
                      options_.channels, "]"});
  }
  const bool all = count == w_qkv_.size(1);
  const Variable w = all ? w_qkv_ : narrow(w_qkv_, 1, start, count);
  if (options_.bias == Bias::kNo) return matmul(x, w);  // [.., time, count]
  return linear(x, w, all ? b_qkv_ : narrow(b_qkv_, 0, start, count));
}

// Weights that dropout thins out, or that a trace wants to see, have to be there as a whole.
bool MultiHeadAttention::is_fused() const {
  return !context().spelled_out && !weight_dropout_.drops();
}

// Heads straight from the packed projection: where nothing turns or repeats them.
bool MultiHeadAttention::takes_packed() const {
  return is_fused() && options_.positions != HeadPositions::kRotary &&
         key_value_heads_ == options_.head_count;
}

Variable MultiHeadAttention::attend(const Variable& q, const Variable& k, const Variable& v,
                                    const AttentionMask& mask) {
  const Variable keys = for_each_head(k);    // [.., heads, keys, size]
  const Variable values = for_each_head(v);  // [.., heads, keys, size]
  if (is_fused()) {
    if (keeps_weights_) {
      const NoGrad no_grad;
      weights_ = attention_weights(q, keys, mask);  // [.., heads, time, keys]
    }
    return merge_heads(
        scaled_dot_product_attention(q, keys, values, mask));  // [.., time, channels]
  }
  const Variable weights = attention_weights(q, keys, mask);          // [.., heads, time, keys]
  const Variable mixture = matmul(weight_dropout_(weights), values);  // [.., heads, time, size]
  if (keeps_weights_) weights_ = weights;
  return merge_heads(mixture);  // [.., time, channels]
}

// mixture W_O + b_O, and + residual where there is one.
Variable MultiHeadAttention::output(const Variable& mixture, const Variable& residual) {
  return affine(mixture, w_o_, b_o_, residual);  // [.., time, channels]
}

// The mask with an axis for the heads, and ALiBi's bias where that is how heads know positions.
// `x_rank` is that of the inputs before their channels were split.
AttentionMask MultiHeadAttention::for_heads(const AttentionMask& mask, Index x_rank, Index queries,
                                            Index keys) const {
  const auto widened = [x_rank](const Tensor& part) {
    return part.rank() >= 3 && part.rank() <= x_rank ? unsqueeze(part, -3) : part;
  };
  AttentionMask wide = mask;
  wide.mask = widened(mask.mask);
  wide.bias = widened(mask.bias);
  if (options_.positions == HeadPositions::kAlibi) {
    const Tensor slopes = alibi_bias(options_.head_count, queries, keys);  // [heads, queries, keys]
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
