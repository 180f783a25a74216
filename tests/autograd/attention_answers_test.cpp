// Attention on small inputs that other projects got wrong, and the right answers. These are the
// one-pass operations; modules have tests of their own.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_equal;
using test::expect_error_contains;
using test::expect_same_bits;
using test::random_tensor;

AttentionMask causal() {
  AttentionMask mask;
  mask.causal = true;
  return mask;
}

bool is_finite(const Tensor& x) {
  for (const Scalar value : x.to_vector()) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

TEST(AttentionAnswers, BL01_AFullyMaskedQueryHasNoInfluence) {
  const Variable q = parameter(Tensor({2, 2}, {1, 2, 3, 4}));
  const Variable k = parameter(Tensor({2, 2}, {Scalar(0.5), 1, 2, -1}));
  const Variable v = parameter(Tensor({2, 2}, {1, 2, 3, 4}));
  AttentionMask mask;
  mask.mask = Tensor({2, 2}, {0, 0, 1, 1});
  const Variable y = scaled_dot_product_attention(q, k, v, mask);
  expect_equal(narrow(y.value(), 0, 0, 1), {1, 2}, {0, 0});
  sum(y).backward();
  const std::vector<Tensor> grads{q.grad(), k.grad(), v.grad()};
  for (const Tensor& grad : grads) EXPECT_TRUE(is_finite(grad));
  expect_equal(narrow(grads[0], 0, 0, 1), {1, 2}, {0, 0});

  // Row 1 is what it would be alone, and so is what K and V learn.
  for (const Variable& x : {q, k, v}) x.zero_grad();
  const Variable alone = scaled_dot_product_attention(narrow(q, 0, 1, 1), k, v);
  expect_same_bits(narrow(y.value(), 0, 1, 1), alone.value());
  sum(alone).backward();
  expect_same_bits(q.grad(), grads[0]);
  expect_same_bits(k.grad(), grads[1]);
  expect_same_bits(v.grad(), grads[2]);
}

// With V the identity, results are the weights.
TEST(AttentionAnswers, BL04_TheCausalMaskSeesItselfAndWhatCameBefore) {
  const Tensor same = zeros({3, 3});
  const Scalar third = Scalar(1) / 3;
  const Tensor expected({3, 3}, {1, 0, 0, Scalar(0.5), Scalar(0.5), 0, third, third, third});
  expect_same_bits(scaled_dot_product_attention(same, same, identity(3), causal()), expected);
  expect_same_bits(packed_attention(cat({same, same, identity(3)}, 1), 1, causal()), expected);
  expect_same_bits(attention_weights(Variable(same), Variable(same), causal()).value(), expected);
}

TEST(AttentionAnswers, BL06_NanStaysInItsRow) {
  Rng rng(6);
  const Tensor k = random_tensor({5, 3}, rng);
  const Tensor v = random_tensor({5, 2}, rng);
  Tensor q = random_tensor({4, 3}, rng);
  const Tensor before = scaled_dot_product_attention(q, k, v);
  q.set({1, 0}, static_cast<Scalar>(test::kNan));
  const Tensor after = scaled_dot_product_attention(q, k, v);
  for (Index column = 0; column < 2; ++column) EXPECT_TRUE(std::isnan(after.at({1, column})));
  expect_same_bits(narrow(after, 0, 0, 1), narrow(before, 0, 0, 1));
  expect_same_bits(narrow(after, 0, 2, 2), narrow(before, 0, 2, 2));
}

struct HeadsResult {
  Tensor y, grad_q, grad_k, grad_v;
};

// Forward and backward of q, k, v [batch, time, heads, size], with heads before time: as views, or
// as copies of them.
HeadsResult run_heads(const std::vector<Tensor>& inputs, bool copied) {
  const auto heads_first = [&](const Tensor& x) {
    const Tensor turned = transpose(x, 1, 2);
    EXPECT_FALSE(turned.is_contiguous());
    return parameter(copied ? contiguous(turned) : turned);
  };
  const Variable q = heads_first(inputs[0]);
  const Variable k = heads_first(inputs[1]);
  const Variable v = heads_first(inputs[2]);
  const Variable y = scaled_dot_product_attention(q, k, v, causal());
  y.backward(transpose(inputs[3], 1, 2));
  return {y.value(), q.grad(), k.grad(), v.grad()};
}

TEST(AttentionAnswers, BL09_TransposedHeadsGiveTheBitsOfTheirCopies) {
  Rng rng(9);
  std::vector<Tensor> inputs;  // q, k, v and the gradient of the result
  for (int i = 0; i < 4; ++i) inputs.push_back(random_tensor({2, 131, 2, 24}, rng));
  const HeadsResult expected = run_heads(inputs, true);
  test::with_threads(4, [&] {
    const Index before = handoff_count();
    for (int repetition = 0; repetition < 20; ++repetition) {
      const HeadsResult run = run_heads(inputs, false);
      expect_same_bits(run.y, expected.y);
      expect_same_bits(run.grad_q, expected.grad_q);
      expect_same_bits(run.grad_k, expected.grad_k);
      expect_same_bits(run.grad_v, expected.grad_v);
    }
    EXPECT_GT(handoff_count(), before);  // else nothing was shared
    return 0;
  });
}

TEST(AttentionAnswers, BL13_OneTokenGetsItsOwnValueExactly) {
  Rng rng(13);
  for (const Shape& shape : {Shape{1, 1, 3}, Shape{5, 2, 1, 3}}) {
    const Tensor q = random_tensor(shape, rng);
    const Tensor v = random_tensor(shape, rng);
    expect_same_bits(scaled_dot_product_attention(q, q, v, causal()), v);
    const Tensor packed = cat({q, q, v}, -1);
    if (shape.rank() == 3) expect_same_bits(packed_attention(packed, 3, causal()), v);
  }
}

// [batch, time, heads, size] where heads come before time: a mask of [time, time] does not fit.
TEST(AttentionAnswers, BL75_HeadsBehindTimeAreRefusedWhereTheMaskShowsIt) {
  const Tensor swapped = ones({2, 7, 3, 4});
  AttentionMask mask;
  mask.mask = ones({7, 7});
  const auto attend = [&] { scaled_dot_product_attention(swapped, swapped, swapped, mask); };
  expect_error_contains<ShapeError>(attend, "[7, 7]");
  const Tensor right = transpose(swapped, 1, 2);
  EXPECT_EQ(scaled_dot_product_attention(right, right, right, mask).shape(), (Shape{2, 3, 7, 4}));
}

TEST(AttentionAnswers, BL76_HeadsThatDoNotFillTheColumnsAreRefused) {
  expect_error_contains<ShapeError>(
      [] {
        scaled_dot_product_attention(ones({7, 6}), ones({7, 4}), ones({7, 4}));
      },
      "[7, 6]");
  expect_error_contains<ShapeError>([] { packed_attention(ones({7, 18}), 4); }, "[7, 18]");
  expect_error_contains<ShapeError>([] { packed_attention(ones({7, 16}), 1); }, "[7, 16]");
}

}  // namespace
}  // namespace vitro
