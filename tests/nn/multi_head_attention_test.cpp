#include <cmath>

#include "tensor/arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/positions.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "nn/layers/self_attention.h"

#include "tests/nn/attention_loop.h"
#include "tests/support/reference.h"

namespace vitro::test {
namespace {

TEST(MultiHeadAttention, BL08_MergesHeadsTokenByToken) {
  const Variable heads(Tensor({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  expect_equal(nn::merge_heads(heads).value(), {1, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8});
}

TEST(MultiHeadAttention, SplittingAndMergingAreInverse) {
  Rng rng(1);
  const Variable x(random_tensor({2, 5, 21}, rng));
  const Variable heads = nn::split_heads(x, 3);
  EXPECT_EQ(heads.shape(), (Shape{2, 3, 5, 7}));
  expect_same_bits(nn::merge_heads(heads).value(), x.value());
  EXPECT_EQ(heads.value().at({1, 2, 4, 3}), x.value().at({1, 4, 2 * 7 + 3}));
  expect_error_contains<ShapeError>([&] { nn::split_heads(x, 4); }, "4 heads");
  expect_error_contains<ShapeError>([&] { nn::split_heads(x, 0); }, "0 heads");
  expect_error_contains<ShapeError>([&] { nn::merge_heads(Variable(zeros({2, 3}))); }, "[2, 3]");
}

TEST(MultiHeadAttention, BL08_EqualsAPlainLoopOverHeads) {
  Rng rng(2);
  MultiHeadAttention layer(options_of(15, 5), rng);
  randomize(layer, rng);
  for (const Shape& shape : {Shape{7, 15}, Shape{2, 7, 15}, Shape{2, 3, 7, 15}}) {
    const Variable x(random_tensor(shape, rng));
    for (const AttentionMask& mask : {AttentionMask{}, causal()}) {
      const Variable y = loop_over_heads(layer, 5, x, x, std::vector<AttentionMask>(5, mask));
      expect_close(layer(x, mask).value(), reference_of(y.value()), kLoopTolerance);
    }
  }
}

TEST(MultiHeadAttention, BL22_GradientsEqualThoseOfTheLoop) {
  Rng rng(3);
  MultiHeadAttention layer(options_of(15, 5), rng);
  randomize(layer, rng);
  const Variable x = parameter(random_tensor({2, 7, 15}, rng));
  const Tensor upstream = random_tensor({2, 7, 15}, rng);
  layer(x, causal()).backward(upstream);
  std::vector<Variable> leaves = layer.parameters();
  leaves.push_back(x);
  std::vector<Tensor> grads;
  for (const Variable& leaf : leaves) {
    grads.push_back(leaf.grad());
    leaf.zero_grad();
  }
  loop_over_heads(layer, 5, x, x, std::vector<AttentionMask>(5, causal())).backward(upstream);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    expect_close(grads[i], reference_of(leaves[i].grad()), 10 * kTolerance);
    EXPECT_GT(max(abs(grads[i])).item(), Scalar(0.01));
  }
}

TEST(MultiHeadAttention, OneHeadWithAnIdentityAtItsEndIsSelfAttention) {
  Rng rng(4);
  MultiHeadAttentionOptions options = options_of(7, 1);
  options.bias = nn::Bias::kNo;
  MultiHeadAttention layer(options, rng);
  nn::SelfAttention plain(7, 7, 7, rng);
  set_named(layer, "w_o", identity(7));
  const Tensor w = named(layer, "w_qkv").value();
  set_named(plain, "w_q", narrow(w, 1, 0, 7));
  set_named(plain, "w_k", narrow(w, 1, 7, 7));
  set_named(plain, "w_v", narrow(w, 1, 14, 7));
  const Variable x(random_tensor({3, 11, 7}, rng));
  for (const AttentionMask& mask : {AttentionMask{}, causal()}) {
    expect_close(layer(x, mask).value(), reference_of(plain(x, mask).value()), kTolerance);
  }
}

TEST(MultiHeadAttention, BL10_DividesByTheRootOfTheHeadSize) {
  Rng rng(5);
  MultiHeadAttentionOptions options = options_of(4, 2);
  options.bias = nn::Bias::kNo;
  MultiHeadAttention layer(options, rng);
  set_named(layer, "w_qkv", cat({identity(4), identity(4), identity(4)}, 1));
  layer.keep_weights();
  // Token 0 in head 0 is (1, 1): q·k = 2 with itself, 0 with token 1.
  layer(Variable(Tensor({2, 4}, {1, 1, 0, 0, 0, 0, 0, 0})));
  const Tensor w = layer.weights().value();
  EXPECT_NEAR(std::log(static_cast<double>(w.at({0, 0, 0}) / w.at({0, 0, 1}))), 1.414214, 2e-6);
}

TEST(MultiHeadAttention, MasksOfEachRank) {
  Rng rng(6);
  constexpr Index kHeads = 3;
  MultiHeadAttention layer(options_of(12, kHeads), rng);
  randomize(layer, rng);
  const auto mask_of = [&rng](const Shape& shape) {
    return greater(random_tensor(shape, rng), full({}, Scalar(-0.2)));
  };
  const auto expect_head_masks = [&](const Variable& x, const Tensor& mask,
                                     const std::vector<Tensor>& of_head) {
    std::vector<AttentionMask> masks;
    for (const Tensor& one : of_head) masks.push_back(with_mask(one));
    const Variable y = loop_over_heads(layer, kHeads, x, x, masks);
    expect_close(layer(x, with_mask(mask)).value(), reference_of(y.value()), kLoopTolerance);
  };
  const auto for_all = [](const Tensor& mask) { return std::vector<Tensor>(kHeads, mask); };
  const auto by_head = [](const Tensor& mask) {  // [.., heads, time, time]
    std::vector<Tensor> parts;
    for (Index head = 0; head < kHeads; ++head) {
      parts.push_back(squeeze(narrow(mask, -3, head, 1), -3));
    }
    return parts;
  };
  // The batch has as many entries as there are heads: a mask that lands on the wrong axis would
  // still fit.
  const Variable flat(random_tensor({7, 12}, rng));
  const Variable x(random_tensor({kHeads, 7, 12}, rng));
  const Variable deep(random_tensor({2, kHeads, 7, 12}, rng));
  for (const Shape& shape : {Shape{7}, Shape{7, 7}, Shape{1, 7}, Shape{7, 1}}) {
    const Tensor mask = mask_of(shape);
    expect_head_masks(flat, mask, for_all(mask));
    expect_head_masks(x, mask, for_all(mask));
    expect_head_masks(deep, mask, for_all(mask));
  }
  const Tensor of_batch = mask_of({kHeads, 7, 7});
  expect_head_masks(flat, of_batch, by_head(of_batch));  // a rank more than x: by head
  expect_head_masks(x, of_batch, for_all(of_batch));
  expect_head_masks(deep, of_batch, for_all(of_batch));
  const Tensor four = mask_of({kHeads, kHeads, 7, 7});
  expect_head_masks(x, four, by_head(four));
  const Tensor deep_four = mask_of({2, kHeads, 7, 7});
  expect_head_masks(deep, deep_four, for_all(deep_four));
}

TEST(MultiHeadAttention, ABiasFollowsTheRulesOfTheMask) {
  Rng rng(7);
  MultiHeadAttention layer(options_of(12, 3), rng);
  randomize(layer, rng);
  const Variable x(random_tensor({3, 7, 12}, rng));
  const Variable deep(random_tensor({2, 3, 7, 12}, rng));
  AttentionMask mask;
  mask.bias = random_tensor({3, 7, 7}, rng);
  for (const Variable& input : {x, deep}) {
    const Variable y = loop_over_heads(layer, 3, input, input, std::vector<AttentionMask>(3, mask));
    expect_close(layer(input, mask).value(), reference_of(y.value()), kLoopTolerance);
  }
}

TEST(MultiHeadAttention, BL01_AFullyMaskedQueryGivesTheOutputBias) {
  Rng rng(8);
  MultiHeadAttention layer(options_of(6, 3), rng);
  randomize(layer, rng);
  layer.keep_weights();
  const Variable x = parameter(random_tensor({2, 6}, rng));
  const Variable y = layer(x, with_mask(Tensor({2, 2}, {0, 0, 1, 1})));
  expect_equal(narrow(layer.weights().value(), 1, 0, 1), {3, 1, 2}, {0, 0, 0, 0, 0, 0});
  expect_same_bits(reshape(narrow(y.value(), 0, 0, 1), {6}), named(layer, "b_o").value());
  sum(narrow(y, 0, 0, 1)).backward();
  expect_equal(x.grad(), {2, 6}, std::vector<double>(12, 0));
}

TEST(MultiHeadAttention, BL09_AStridedInputGivesTheBitsOfItsCopy) {
  Rng rng(16);
  MultiHeadAttention layer(options_of(48, 2), rng);
  const Tensor x = random_tensor({2, 37, 48}, rng);
  const Tensor expected = layer(Variable(x), causal()).value();
  with_threads(4, [&] {
    for (int run = 0; run < 20; ++run) {
      expect_same_bits(layer(Variable(scattered(x)), causal()).value(), expected);
    }
    return 0;
  });
}

}  // namespace
}  // namespace vitro::test
