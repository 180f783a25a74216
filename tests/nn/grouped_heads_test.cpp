// Grouped and multi-query heads: the same as heads of their own whose keys and values are equal.
#include <gtest/gtest.h>

#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"

#include "nn/models/generate.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

nn::MultiHeadAttentionOptions options_of(Index key_value_heads) {
  nn::MultiHeadAttentionOptions options;
  options.channels = 12;
  options.head_count = 6;
  options.key_value_head_count = key_value_heads;
  return options;
}

// K's or V's columns [.., heads · 2] with each head's two columns repeated for its group.
Tensor repeated(const Tensor& columns, Index heads) {
  std::vector<Tensor> parts;
  for (Index head = 0; head < 6; ++head) {
    parts.push_back(narrow(columns, -1, head / (6 / heads) * 2, 2));
  }
  return cat(parts, -1);
}

// [.., 12 + 2 · width] → [.., 36].
Tensor widened(const Tensor& qkv, Index heads) {
  const Index width = 2 * heads;
  return cat({narrow(qkv, -1, 0, 12), repeated(narrow(qkv, -1, 12, width), heads),
              repeated(narrow(qkv, -1, 12 + width, width), heads)},
             -1);
}

class GroupedHeads : public testing::TestWithParam<Index> {};

TEST_P(GroupedHeads, AreHeadsWithEqualKeysAndValues) {
  Rng rng(3);
  nn::MultiHeadAttention grouped(options_of(GetParam()), rng);
  nn::MultiHeadAttention plain(options_of(0), rng);
  randomize(grouped, rng);
  EXPECT_EQ(named(grouped, "w_qkv").shape(), Shape({12, 12 + 4 * GetParam()}));
  set_named(plain, "w_qkv", widened(named(grouped, "w_qkv").value(), GetParam()));
  set_named(plain, "b_qkv", widened(named(grouped, "b_qkv").value(), GetParam()));
  set_named(plain, "w_o", named(grouped, "w_o").value());
  set_named(plain, "b_o", named(grouped, "b_o").value());
  const Variable x(random_tensor({2, 5, 12}, rng));
  const Variable memory(random_tensor({2, 7, 12}, rng));
  AttentionMask causal;
  causal.causal = true;
  const auto expect_same = [](const Variable& a, const Variable& b) {
    const std::vector<Scalar> values = b.value().to_vector();
    expect_close(a.value(), b.shape(), {values.begin(), values.end()});
  };
  expect_same(grouped(x, causal), plain(x, causal));
  expect_same(grouped(x, memory, {}), plain(x, memory, {}));
}

TEST_P(GroupedHeads, GenerateTheSameWithACache) {
  Rng rng(5);
  nn::GptOptions options = small_gpt();
  options.head_count = 6;
  options.channels = 12;
  options.key_value_head_count = GetParam();
  options.positions = nn::PositionKind::kRotary;
  nn::Gpt model(options, rng);
  randomize(model, rng);
  Rng draws(7);
  Rng same_draws(7);
  EXPECT_EQ(nn::generate(model, {1, 2}, 20, {}, draws, nn::Cache::kYes),
            nn::generate(model, {1, 2}, 20, {}, same_draws, nn::Cache::kNo));
}

TEST_P(GroupedHeads, EveryWeightGetsAGradient) {
  Rng rng(5);
  nn::MultiHeadAttention attention(options_of(GetParam()), rng);
  const Variable y = attention(Variable(random_tensor({2, 3, 12}, rng)));
  sum(y * y).backward();
  const auto largest = [](const Tensor& grad) { return max(abs(grad)).item(); };
  for (const auto& [name, parameter] : attention.named_parameters()) {
    ASSERT_TRUE(parameter.has_grad()) << name;
    EXPECT_GT(largest(parameter.grad()), 0) << name;
  }
  const Tensor grad = named(attention, "w_qkv").grad();  // [12, 12 + 2 · width]
  const Index width = 2 * GetParam();
  EXPECT_GT(largest(narrow(grad, 1, 0, 12)), 0) << "queries";
  for (Index head = 0; head < GetParam(); ++head) {
    EXPECT_GT(largest(narrow(grad, 1, 12 + 2 * head, 2)), 0) << "keys of head " << head;
    EXPECT_GT(largest(narrow(grad, 1, 12 + width + 2 * head, 2)), 0) << "values of head " << head;
  }
}

INSTANTIATE_TEST_SUITE_P(KeyValueHeads, GroupedHeads, testing::Values(1, 2, 3, 6));

TEST(GroupedHeadsErrors, SayWhichNumbersFit) {
  Rng rng(1);
  for (const Index wrong : {4, 7, -1}) {
    const auto call = [&] { nn::MultiHeadAttention attention(options_of(wrong), rng); };
    expect_error_contains<std::invalid_argument>(call, "must be 0 or one of 1, 2, 3, 6");
  }
}

}  // namespace
}  // namespace vitro::test
