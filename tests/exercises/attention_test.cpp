// Exercises 3, 4, 5 and 10: chapters 5, 6, 7 and 12.
#include <cmath>
#include <gtest/gtest.h>

#include "tensor/arithmetic.h"
#include "tensor/join.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "examples/exercises/exercises.h"

#include "tests/exercises/grading.h"

namespace vitro::exercises {
namespace {

TEST(Exercise03, IsTheSoftmaxOfEachRow) {
  const Tensor x = some({5, 7});
  expect_equal(softmax_rows(x), softmax(x, -1));
}

TEST(Exercise03, DoesNotOverflow) {
  expect_equal(softmax_rows(Tensor({1, 2}, {10000, 9999})),
               Tensor({1, 2}, {0.7310585786300049, 0.2689414213699951}));
}

TEST(Exercise03, HasTheRightGradient) {
  const Tensor y = softmax(some({5, 7}), -1);
  const Tensor grad = some({5, 7}, 2);
  expect_equal(softmax_rows_backward(y, grad), softmax_backward(y, grad, -1));
}

TEST(Exercise04, IsAttention) {
  const Variable q(some({2, 5, 3}, 1));
  const Variable k(some({2, 7, 3}, 2));
  const Variable v(some({2, 7, 11}, 3));
  expect_equal(attention(q, k, v).value(), scaled_dot_product_attention(q, k, v).value());
}

TEST(Exercise04, DividesByTheRootOfDK) {
  const Variable q(Tensor({1, 4}, {2, 0, 0, 0}));
  const Variable k(Tensor({2, 4}, {1, 0, 0, 0, 0, 0, 0, 0}));
  const Variable v(Tensor({2, 1}, {1, 0}));
  const Scalar right = std::exp(Scalar(1)) / (std::exp(Scalar(1)) + 1);  // the score is 2/√4
  expect_equal(attention(q, k, v).value(), Tensor({1, 1}, {right}));
}

TEST(Exercise04, GradientsReachAllThree) {
  const Variable q = parameter(some({5, 3}, 1));
  const Variable k = parameter(some({7, 3}, 2));
  const Variable v = parameter(some({7, 2}, 3));
  sum(attention(q, k, v) * Variable(some({5, 2}, 4))).backward();
  for (const Variable& x : {q, k, v}) {
    ASSERT_TRUE(x.has_grad());
    double size = 0;
    for (const Scalar g : x.grad().to_vector()) size += std::fabs(g);
    EXPECT_GT(size, 0);
  }
}

TEST(Exercise05, HidesTheFutureAndNothingElse) {
  const Variable scores(some({2, 5, 5}));
  const Tensor weights = softmax(causal(scores), -1).value();
  expect_equal(weights, softmax(mask_scores(scores, {.causal = true}), -1).value());
  expect_equal(narrow(weights, 1, 0, 1),
               Tensor({2, 1, 5}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0}));  // position 0 sees itself
}

TEST(Exercise05, HidesVeryLargeScores) {
  const Tensor scores({2, 2}, {-1e6, 1e6, 0, 0});
  expect_equal(softmax(causal(Variable(scores)), -1).value(), Tensor({2, 2}, {1, 0, 0.5, 0.5}));
}

TEST(Exercise10, IsTheSameAsAllAtOnce) {
  const Tensor q = some({7, 3}, 1);
  const Tensor k = some({7, 3}, 2);
  const Tensor v = some({7, 2}, 3);
  CachedAttention one_by_one;
  std::vector<Tensor> rows;
  for (Index i = 0; i < 7; ++i) {
    rows.push_back(one_by_one.next(narrow(q, 0, i, 1), narrow(k, 0, i, 1), narrow(v, 0, i, 1)));
    ASSERT_EQ(rows.back().shape(), (Shape{1, 2}));
  }
  const Variable all =
      scaled_dot_product_attention(Variable(q), Variable(k), Variable(v), {.causal = true});
  expect_equal(cat(rows, 0), all.value());
}

}  // namespace
}  // namespace vitro::exercises
