// Every operation that takes several steps at once agrees with its spelled-out form, in values and
// in gradients.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tensor/create.h"
#include "tensor/parallel.h"
#include "tensor/positions.h"
#include "tensor/random.h"
#include "tensor/storage.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_same_bits;
using test::message_of;

// Both forms round each step; sums have up to about 100 terms of size 1.
constexpr double kTolerance = sizeof(Scalar) == 4 ? 1e-5 : 1e-13;

using Inputs = std::vector<Variable>;

Variable draw(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return parameter(uniform(shape, Scalar(-1.5), Scalar(1.5), rng));
}

struct Outcome {
  Tensor value;
  std::vector<Tensor> gradients;
};

template <class F>
Outcome outcome(const F& function, const Inputs& inputs) {
  for (const Variable& input : inputs) input.zero_grad();
  const Variable y = function(inputs);
  Rng rng(99);
  y.backward(uniform(y.shape(), -1, 1, rng));
  Outcome result{y.value(), {}};
  for (const Variable& input : inputs) result.gradients.push_back(input.grad());
  return result;
}

void expect_near(const Tensor& actual, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  const std::vector<Scalar> a = actual.to_vector();
  const std::vector<Scalar> b = expected.to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto expected_value = static_cast<double>(b[i]);
    ASSERT_NEAR(static_cast<double>(a[i]), expected_value,
                kTolerance * (1 + std::fabs(expected_value)))
        << what << ", element " << i;
  }
}

template <class Fused, class Plain>
void expect_agreement(const Fused& fused, const Plain& plain, const Inputs& inputs,
                      const std::string& what) {
  const Outcome a = outcome(fused, inputs);
  const Outcome b = outcome(plain, inputs);
  expect_near(a.value, b.value, what + ": value");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    expect_near(a.gradients[i], b.gradients[i], what + ": gradient of input " + std::to_string(i));
  }
}

Variable spelled_out_attention(const Variable& q, const Variable& k, const Variable& v,
                               const AttentionMask& mask) {
  return matmul(attention_weights(q, k, mask), v);
}

AttentionMask causal_mask_only() {
  AttentionMask mask;
  mask.causal = true;
  return mask;
}

// 1 where a key may be looked at: about two of three, none for query 3.
Tensor holes(const Shape& shape) {
  Rng rng(5);
  return Tensor::filled(shape, [&](Scalar* out) {
    for (Index i = 0; i < shape.element_count(); ++i) {
      const bool query_3 = i / shape[-1] % shape[-2] == 3;
      const bool open = rng.below(3) > 0;
      out[i] = open && !query_3 ? Scalar(1) : Scalar(0);
    }
  });
}

// Sizes below, at and above a block of queries (32) and a register of keys (16).
TEST(Fused, AttentionAgreesForEveryMask) {
  for (const auto& [queries, keys] : std::vector<std::pair<Index, Index>>{
           {1, 1}, {5, 5}, {32, 32}, {37, 53}, {67, 67}, {13, 7}}) {
    AttentionMask padding;
    padding.mask = holes({2, 1, queries, keys});
    AttentionMask all = causal_mask_only();
    all.mask = holes({queries, keys});
    all.bias = full({3, queries, keys}, Scalar(0.25));
    AttentionMask bias;
    bias.bias = alibi_bias(3, queries, keys);
    const Inputs inputs{draw({2, 3, queries, 11}, 1), draw({2, 3, keys, 11}, 2),
                        draw({2, 3, keys, 7}, 3)};
    int number = 0;
    for (const AttentionMask& mask : {AttentionMask{}, causal_mask_only(), padding, bias, all}) {
      expect_agreement(
          [&](const Inputs& in) { return scaled_dot_product_attention(in[0], in[1], in[2], mask); },
          [&](const Inputs& in) { return spelled_out_attention(in[0], in[1], in[2], mask); },
          inputs,
          std::to_string(queries) + " queries, " + std::to_string(keys) + " keys, mask " +
              std::to_string(number++));
    }
  }
}

Variable spelled_out_packed(const Variable& qkv, Index heads, const AttentionMask& mask) {
  const Index channels = qkv.size(-1) / 3;
  const auto part = [&](Index i) {
    const Variable x = narrow(qkv, -1, i * channels, channels);
    return transpose(reshape(x, {qkv.size(0), qkv.size(1), heads, channels / heads}), 1, 2);
  };
  const Variable y = spelled_out_attention(part(0), part(1), part(2), mask);
  return reshape(transpose(y, 1, 2), {qkv.size(0), qkv.size(1), channels});
}

TEST(Fused, PackedAttentionAgreesWithSplitHeads) {
  for (const Index heads : {1, 3}) {
    expect_agreement(
        [&](const Inputs& in) { return packed_attention(in[0], heads, causal_mask_only()); },
        [&](const Inputs& in) { return spelled_out_packed(in[0], heads, causal_mask_only()); },
        {draw({2, 41, 3 * 21}, 4)}, std::to_string(heads) + " heads");
  }
}

TEST(Fused, LinearWithBiasAndResidualAgrees) {
  expect_agreement([](const Inputs& in) { return linear(in[0], in[1], in[2], in[3]); },
                   [](const Inputs& in) { return matmul(in[0], in[1]) + in[2] + in[3]; },
                   {draw({2, 19, 23}, 5), draw({23, 37}, 6), draw({37}, 7), draw({2, 19, 37}, 8)},
                   "linear");
}

TEST(Fused, LayerNormAgrees) {
  const auto plain = [](const Inputs& in) {
    const Variable centered = in[0] - mean(in[0], {-1}, KeepAxes::kYes);
    const Variable variance = mean(centered * centered, {-1}, KeepAxes::kYes);
    return centered / sqrt(variance + Scalar(1e-5)) * in[1] + in[2];
  };
  expect_agreement([](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); }, plain,
                   {draw({2, 5, 37}, 9), draw({37}, 10), draw({37}, 11)}, "layer_norm");
}

TEST(Fused, GeluAgrees) {
  const auto plain = [](const Inputs& in) {
    const Variable& x = in[0];
    const Variable inner = (x + x * x * x * Scalar(0.044715)) * Scalar(0.7978845608028654);
    return x * Scalar(0.5) * (tanh(inner) + Scalar(1));
  };
  expect_agreement([](const Inputs& in) { return gelu(in[0]); }, plain, {draw({3, 37}, 12)},
                   "gelu");
}

TEST(Fused, CrossEntropyAgrees) {
  const Indices targets({5, 1}, {2, 18, 0, 7, 7});
  const auto fused = [&](const Inputs& in) { return cross_entropy(in[0], reshape(targets, {5})); };
  const auto plain = [&](const Inputs& in) {
    return -mean(gather(log_softmax(in[0], -1), 1, targets));
  };
  expect_agreement(fused, plain, {draw({5, 19}, 13)}, "cross_entropy");
}

// Logits of only -inf: no class is wanted more than another, so nothing moves.
TEST(Fused, CrossEntropyOfAMaskedRowHasTheGradientOfItsSteps) {
  const Indices targets({2, 1}, {1, 2});
  Tensor logits({2, 3}, {0, 0, 0, 1, 2, 3});
  logits.assign(0, 0, full({1, 3}, -std::numeric_limits<Scalar>::infinity()));
  const Inputs inputs{parameter(logits)};
  const Outcome fused = outcome(
      [&](const Inputs& in) { return cross_entropy(in[0], reshape(targets, {2})); }, inputs);
  const Outcome plain = outcome(
      [&](const Inputs& in) { return -mean(gather(log_softmax(in[0], -1), 1, targets)); }, inputs);
  expect_near(fused.gradients[0], plain.gradients[0], "gradient");
  EXPECT_EQ(fused.gradients[0].at({0, 1}), 0);
}

// ---- Bits ---------------------------------------------------------------------------------------

// Queries one by one see what they would see all at once: what a cache relies on.
TEST(Fused, AttentionGivesEachQueryTheSameBitsAloneAndTogether) {
  const Tensor q = draw({2, 67, 11}, 14).value();
  const Tensor k = draw({2, 67, 11}, 15).value();
  const Tensor v = draw({2, 67, 7}, 16).value();
  const Tensor together = scaled_dot_product_attention(q, k, v, causal_mask_only());
  for (Index i = 0; i < 67; ++i) {
    const Tensor alone = scaled_dot_product_attention(narrow(q, 1, i, 1), narrow(k, 1, 0, i + 1),
                                                      narrow(v, 1, 0, i + 1), causal_mask_only());
    expect_same_bits(alone, narrow(together, 1, i, 1));
  }
}

TEST(Fused, ThreadsNeverChangeABit) {
  const Index before = thread_count();
  std::vector<Outcome> outcomes;
  for (const Index threads : {1, 2, 3}) {
    set_num_threads(threads);
    outcomes.push_back(
        outcome([](const Inputs& in) { return packed_attention(in[0], 4, causal_mask_only()); },
                {draw({3, 97, 3 * 64}, 17)}));
  }
  set_num_threads(before);
  for (const Outcome& other : outcomes) {
    expect_same_bits(other.value, outcomes[0].value);
    expect_same_bits(other.gradients[0], outcomes[0].gradients[0]);
  }
}

// Numbers behind a query's last key are never part of its result.
TEST(Fused, AttentionNeverSeesTheFuture) {
  const Tensor k = draw({40, 5}, 18).value();
  Tensor v = draw({40, 3}, 19).value();
  const Tensor q = draw({40, 5}, 20).value();
  const Tensor before = scaled_dot_product_attention(q, k, v, causal_mask_only());
  v.set({39, 0}, 1000);
  const Tensor after = scaled_dot_product_attention(q, k, v, causal_mask_only());
  expect_same_bits(narrow(after, 0, 0, 39), narrow(before, 0, 0, 39));
  EXPECT_NE(after.at({39, 0}), before.at({39, 0}));
}

// ---- Errors -------------------------------------------------------------------------------------

TEST(Fused, AttentionRefusesWhatDoesNotFit) {
  const Variable qkv = draw({5, 12}, 24);
  for (const Index heads : {Index{0}, Index{-1}, Index{3}, std::numeric_limits<Index>::max()}) {
    EXPECT_THROW(packed_attention(qkv, heads), ShapeError) << heads;
  }
  EXPECT_THROW(packed_attention(draw({12}, 24), 1), ShapeError);
  AttentionMask mask;
  mask.mask = ones({4, 4});
  EXPECT_THROW(packed_attention(qkv, 2, mask), ShapeError);
  EXPECT_THROW(scaled_dot_product_attention(draw({5, 3}, 1), draw({5, 2}, 2), draw({5, 3}, 3)),
               ShapeError);
  EXPECT_THROW(scaled_dot_product_attention(draw({5, 3}, 1), draw({5, 3}, 2), draw({4, 3}, 3)),
               ShapeError);
  const Variable q = draw({2, 7, 3}, 1);
  const std::string outer = message_of<ShapeError>([&] {
    scaled_dot_product_attention(q, q, draw({5, 7, 3}, 2));
  });
  EXPECT_TRUE(
      outer.starts_with("scaled_dot_product_attention: q is [2, 7, 3], v is [5, 7, 3]; "
                        "axes before the last two must be equal or one of them 1"))
      << outer;
  AttentionMask bias;
  bias.bias = ones({4, 4});
  const std::string refused = message_of<ShapeError>([&] { packed_attention(qkv, 2, bias); });
  EXPECT_TRUE(refused.starts_with("packed_attention: a bias of shape [4, 4] for scores [2, 5, 5]"));
}

TEST(Fused, AttentionsBackwardRefusesWhatDoesNotFit) {
  const Tensor q = ones({5, 3});
  const Tensor rules = attention_parts(q, q, q, {}).rules;  // [5, 2]
  EXPECT_NO_THROW(attention_backward(q, q, q, {}, rules, q));
  EXPECT_THROW(attention_backward(q, q, ones({4, 3}), {}, rules, q), ShapeError);
  EXPECT_EQ(message_of<ShapeError>([&] { attention_backward(q, q, q, {}, Tensor(), q); }),
            "attention_backward: rules are [0]; for these inputs they must be [5, 2], as "
            "attention_parts or packed_attention_parts made them");
  const Tensor qkv = ones({5, 12});
  EXPECT_THROW(packed_attention_backward(qkv, 0, {}, rules, ones({5, 4})), ShapeError);
  EXPECT_THROW(packed_attention_backward(qkv, 2, {}, rules, ones({5, 4})), ShapeError);
}

// ---- Memory -------------------------------------------------------------------------------------

// What tensors hold after attention forward and backward of `time` tokens.
Index bytes_held(Index time) {
  const Inputs inputs{draw({2, time, 8}, 21), draw({2, time, 8}, 22), draw({2, time, 8}, 23)};
  release_kept_memory();
  const Index before = memory_counts().bytes_in_use;
  const auto attention = [](const Inputs& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], causal_mask_only());
  };
  outcome(attention, inputs);
  return memory_counts().bytes_in_use + memory_counts().bytes_kept - before;
}

TEST(Fused, AttentionsMemoryGrowsWithTimeAndNotWithItsSquare) {
  const Index quarter = bytes_held(256);
  EXPECT_LT(bytes_held(1024), 5 * quarter);  // 4 times, and room for rounding; time² would be 16
}

}  // namespace
}  // namespace vitro
