// The gradient check itself: what it accepts, what it refuses, what it says.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "tensor/arithmetic.h"
#include "tensor/create.h"

#include "autograd/gradcheck.h"
#include "autograd/ops.h"

namespace vitro {
namespace {

Variable numbers() {
  return parameter(Tensor({2, 3}, {Scalar(0.5), -1, 2, Scalar(0.25), 3, -2}), "w");
}

// x² with a gradient of 2x, or of any other multiple of x.
Variable square(const Operand& x, Scalar factor) {
  const Tensor y = x.value() * x.value();
  return record("square", y, {x}, [x_value = x.value(), factor](const Tensor& grad) -> Gradients {
    return {grad * (factor * x_value)};
  });
}

TEST(Gradcheck, PassesWhereTheGradientIsRight) {
  const GradcheckResult result =
      gradcheck([](const auto& x) { return square(x[0], 2); }, {numbers()});
  EXPECT_TRUE(result.passed) << result;
  EXPECT_EQ(result.checked_count, 6);
  EXPECT_LE(result.worst_error, 1e-2);
  EXPECT_EQ(result.text.find("gradcheck: passed, worst of 6: input 0 'w' at ["), 0u) << result;
}

TEST(Gradcheck, FindsTheWorstElementOfTheWorstInput) {
  const auto function = [](const std::vector<Variable>& x) {
    const Operand& b = x[1];
    const Tensor y = x[0].value() + b.value();
    return record("add", y, {x[0], b}, [](const Tensor& grad) -> Gradients {
      Tensor wrong = grad;
      wrong.set({1, 2}, grad.at({1, 2}) + 1);
      return {grad, wrong};
    });
  };
  const GradcheckResult result = gradcheck(function, {numbers(), numbers()});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.input, 1);
  EXPECT_EQ(result.element, 5);
  EXPECT_NEAR(result.backward - result.slope, 1, 1e-3);
  EXPECT_NE(result.text.find("FAILED, worst of 12: input 1 'w' at [1, 2]: backward "),
            std::string::npos)
      << result;
}

TEST(Gradcheck, SeesAMissingGradient) {
  const auto detached = [](const auto& x) { return Variable(x[0].value() * Scalar(2)); };
  EXPECT_FALSE(gradcheck(detached, {numbers()}).passed);
}

TEST(Gradcheck, RefusesNaN) {
  const auto poisoned = [](const std::vector<Variable>& x) {
    return record("poisoned", x[0].value(), {x[0]}, [](const Tensor& grad) -> Gradients {
      return {full(grad.shape(), std::numeric_limits<Scalar>::quiet_NaN())};
    });
  };
  const GradcheckResult result = gradcheck(poisoned, {numbers()});
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(std::isinf(result.worst_error));
}

TEST(Gradcheck, LeavesValuesAndGradientsAsTheyWere) {
  const Variable w = numbers();
  const std::vector<Scalar> before = w.value().to_vector();
  w.set_grad(full({2, 3}, 7));
  EXPECT_TRUE(gradcheck([](const auto& x) { return x[0] * x[0]; }, {w}).passed);
  EXPECT_EQ(w.value().to_vector(), before);
  EXPECT_EQ(w.grad().at({0, 0}), 7);

  int calls = 0;
  const auto throws_late = [&](const std::vector<Variable>& x) {
    if (++calls == 5) throw std::runtime_error("late");
    return x[0] * Scalar(3);
  };
  EXPECT_THROW(gradcheck(throws_late, {w}), std::runtime_error);
  EXPECT_EQ(w.value().to_vector(), before);
  EXPECT_EQ(w.grad().at({1, 1}), 7);
}

TEST(Gradcheck, RefusesConstantsAndInnerResults) {
  const auto twice = [](const auto& x) { return x[0] + x[0]; };
  EXPECT_THROW(gradcheck(twice, {Variable(ones({2}))}), std::invalid_argument);
  EXPECT_THROW(gradcheck(twice, {numbers() * Scalar(2)}), std::invalid_argument);
}

TEST(Gradcheck, RefusesAFunctionThatDrawsAnew) {
  Rng rng(3);
  const auto noisy = [&](const auto& x) { return dropout(x[0], Scalar(0.5), rng); };
  EXPECT_THROW(gradcheck(noisy, {parameter(ones({64}))}), std::invalid_argument);
}

TEST(Gradcheck, SaysWhereThereWasNothingToCheck) {
  const GradcheckResult result =
      gradcheck([](const auto& x) { return x[0] + x[0]; }, {parameter(zeros({0, 3}))});
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.input, -1);
  EXPECT_EQ(result.text, "gradcheck: passed, but there was no element to check");
}

TEST(Gradcheck, RefusesOptionsThatMeasureNothing) {
  const auto check = [](double step, double tolerance) {
    gradcheck([](const auto& x) { return square(x[0], 2); }, {numbers()},
              // cppcheck-suppress selfAssignment ; the member is not the variable
              {.step = step, .tolerance = tolerance});
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double step : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(check(step, 1), std::invalid_argument) << step;
  }
  for (const double tolerance : {-1.0, kNan}) {
    EXPECT_THROW(check(1e-2, tolerance), std::invalid_argument) << tolerance;
  }
}

}  // namespace
}  // namespace vitro
