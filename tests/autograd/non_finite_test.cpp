// VITRO_CHECK_FINITE=1 without a debugger: the operation that made the first NaN is named.
#include "autograd/non_finite.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "tensor/arithmetic.h"
#include "tensor/context.h"
#include "tensor/create.h"

#include "autograd/ops.h"

namespace vitro {
namespace {

// It speaks once a process, so each case needs a program of its own.
class NonFinite : public testing::Test {
 protected:
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

void softmax_after_sqrt() {
  context().checks_finite = true;
  const Variable x = parameter(Tensor({3}, {1, -1, 2}));
  softmax(sqrt(x), -1);
  std::exit(0);
}

void softmax_of_infinity() {
  context().checks_finite = true;
  softmax(Variable(Tensor({2}, {std::numeric_limits<Scalar>::infinity(), 0})), -1);
  std::exit(0);
}

void backward_of_sqrt() {
  context().checks_finite = true;
  const Variable x = parameter(zeros({2}));
  sum(sqrt(x)).backward();
  std::exit(0);
}

TEST_F(NonFinite, BL06_TheFirstOperationThatMadeOneIsNamed) {
  const auto ends = testing::ExitedWithCode(0);
  EXPECT_EXIT(softmax_after_sqrt(), ends,
              "^vitro: first number that is none: sqrt made 1 NaN and 0 infinities in a tensor of "
              "shape \\[3\\], in the forward of sqrt at .*non_finite_test.cpp:[0-9]+[^\n]*\n$");
  EXPECT_EXIT(softmax_of_infinity(), ends, "none: softmax made 2 NaN");
  EXPECT_EXIT(backward_of_sqrt(), ends,
              "none: sqrt made 0 NaN and 2 infinities .* the backward of");
}

}  // namespace
}  // namespace vitro
