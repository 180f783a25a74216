// Exercises 1 and 2: chapter 3.
#include <gtest/gtest.h>

#include "tensor/arithmetic.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/gradcheck.h"
#include "autograd/ops.h"

#include "examples/exercises/exercises.h"

#include "tests/exercises/grading.h"

namespace vitro::exercises {
namespace {

TEST(Exercise01, SumsOverStretchedAxes) {
  const Tensor grad = some({5, 3, 7});
  expect_equal(unbroadcast(grad, {5, 1, 7}), sum(grad, {1}, KeepAxes::kYes));
  expect_equal(unbroadcast(grad, {5, 1, 1}), sum(grad, {1, 2}, KeepAxes::kYes));
}

TEST(Exercise01, SumsOverAxesInFront) {
  const Tensor grad = some({5, 3, 7});
  expect_equal(unbroadcast(grad, {7}), sum(grad, {0, 1}));
  expect_equal(unbroadcast(grad, {3, 1}), reshape(sum(grad, {0, 2}), {3, 1}));
  expect_equal(unbroadcast(grad, {}), sum(grad));
}

TEST(Exercise01, LeavesWhatWasNotStretched) {
  const Tensor grad = some({3, 7});
  expect_equal(unbroadcast(grad, {3, 7}), grad);
}

TEST(Exercise02, HasTheValuesOfSoftplus) {
  const Variable y = softplus(Variable(Tensor({3}, {0, 1, -1})));
  expect_equal(y.value(),
               Tensor({3}, {0.69314718055994531, 1.3132616875182228, 0.31326168751822286}));
}

TEST(Exercise02, DoesNotOverflow) {
  const Variable y = softplus(Variable(Tensor({2}, {1000, -1000})));
  expect_equal(y.value(), Tensor({2}, {1000, 0}));
}

TEST(Exercise02, HasTheRightGradient) {
  const Variable x = parameter(some({5, 3}), "x");
  const GradcheckResult result =
      gradcheck([](const auto& inputs) { return softplus(inputs[0]); }, {x});
  EXPECT_TRUE(result.passed) << result;
}

TEST(Exercise02, GoesOnWhereEToTheXOverflows) {
  const Variable x = parameter(Tensor({2}, {1000, -1000}), "x");
  sum(softplus(x)).backward();
  expect_equal(x.grad(), Tensor({2}, {1, 0}));
}

}  // namespace
}  // namespace vitro::exercises
