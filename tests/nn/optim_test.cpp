// Optimizers, clipping and schedules, against steps computed by hand.
#include <cmath>
#include <limits>
#include <type_traits>

#include "tensor/kernels/adam.h"

#include "autograd/ops.h"

#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/optim/sgd.h"

#include "tests/nn/optim_support.h"

namespace vitro::test {
namespace {

TEST(Sgd, MovesAgainstTheGradient) {
  const Variable x = two(1, -2);
  nn::SgdOptions options;
  options.learning_rate = Scalar(0.5);
  nn::Sgd optimizer({{"x", x}}, options);
  set_grad(x, 2, 4);
  optimizer.step();
  expect_equal(x.value(), {2}, {0, -4});
}

TEST(Sgd, MomentumKeepsAShareOfTheLastDirection) {
  const Variable x = two(0, 0);
  nn::SgdOptions options;
  options.learning_rate = 1;
  options.momentum = Scalar(0.5);
  options.weight_decay = Scalar(0.25);
  nn::Sgd optimizer({{"x", x}}, options);
  set_grad(x, 8, 4);
  optimizer.step();  // v = g = (8, 4)
  expect_equal(x.value(), {2}, {-8, -4});
  optimizer.step();  // v = v/2 + g + x/4 = (4 + 8 - 2, 2 + 4 - 1)
  expect_equal(x.value(), {2}, {-18, -9});
}

TEST(Sgd, RefusesSettingsOutOfRange) {
  const Variable x = two(0, 0);
  nn::SgdOptions options;
  for (const double momentum : {-0.1, 1.0, kNan}) {
    options.momentum = static_cast<Scalar>(momentum);
    const auto make = [&] { nn::Sgd({{"x", x}}, options); };
    expect_error_contains<std::invalid_argument>(make, "momentum");
  }
  options.momentum = 0;
  for (const double decay : {-0.1, kNan, kInfinity}) {
    options.weight_decay = static_cast<Scalar>(decay);
    const auto make = [&] { nn::Sgd({{"x", x}}, options); };
    expect_error_contains<std::invalid_argument>(make, "weight_decay");
  }
}

TEST(Optimizer, RefusesWhatItCannotTrain) {
  const Variable x = two(0, 0);
  const auto make = [](const Parameters& parameters) {
    return [parameters] { nn::Sgd(parameters, {}); };
  };
  expect_error_contains<std::invalid_argument>(make({}), "no parameters");
  expect_error_contains<std::invalid_argument>(make({{"c", Variable(zeros({2}))}}), "'c'");
  expect_error_contains<std::invalid_argument>(make({{"x", x}, {"again", x}}), "'again'");
  nn::Sgd optimizer({{"x", x}}, {});
  for (const double rate : {-1.0, kNan, kInfinity}) {
    const auto set = [&] { optimizer.set_learning_rate(static_cast<Scalar>(rate)); };
    expect_error_contains<std::invalid_argument>(set, "learning rate");
  }
  EXPECT_EQ(optimizer.learning_rate(), Scalar(0.01));
}

TEST(Optimizer, SkipsParametersWithoutAGradientAndForgetsGradients) {
  const Variable x = two(1, 2);
  const Variable idle = two(3, 4);
  nn::AdamW optimizer({{{{"x", x}, {"idle", idle}}, Scalar(0.5)}}, {});
  set_grad(x, 1, 1);
  optimizer.step();
  expect_equal(idle.value(), {2}, {3, 4});
  EXPECT_NE(x.value().at({0}), 1);
  optimizer.zero_grad();
  EXPECT_FALSE(x.has_grad());
}

TEST(Optimizer, BL28_AGradientOfAnotherShapeIsRefused) {
  const Variable x = parameter(zeros({4}), "x");
  nn::Sgd optimizer({{"x", x}}, {});
  for (const Shape& wrong : {Shape{4, 4}, Shape{1, 4}, Shape{4, 1}, Shape{1}, Shape{}}) {
    const auto set = [&] { x.set_grad(ones(wrong)); };
    expect_error_contains<ShapeError>(set, wrong.to_string());
    optimizer.step();
    expect_equal(x.value(), {4}, {0, 0, 0, 0});
  }
}

TEST(Clip, BL43_OneNormOverAllParameters) {
  const Variable a = parameter(zeros({1}));
  const Variable b = parameter(zeros({1}));
  const Variable none = parameter(zeros({1}));
  a.set_grad(full({1}, 3));
  b.set_grad(full({1}, 4));
  EXPECT_EQ(nn::clip_grad_norm({{"a", a}, {"b", b}, {"none", none}}, 1), 5);
  EXPECT_NEAR(static_cast<double>(a.grad().item()), 0.6, 6e-7);
  EXPECT_NEAR(static_cast<double>(b.grad().item()), 0.8, 8e-7);
  EXPECT_FALSE(none.has_grad());
}

TEST(Clip, LeavesSmallGradientsAlone) {
  const Variable a = two(0, 0);
  set_grad(a, 0.3, 0.4);
  EXPECT_NEAR(nn::clip_grad_norm({{"a", a}}, 1), 0.5, 1e-7);
  const Scalar third = Scalar(0.3);
  EXPECT_EQ(a.grad().at({0}), third);
}

TEST(Clip, BL42_ANormThatIsNotFiniteIsRefusedByName) {
  for (const double bad : {kInfinity, -kInfinity, kNan}) {
    const Variable good = two(1, 1);
    const Variable wrong = two(1, 1);
    set_grad(good, 30, 40);
    set_grad(wrong, bad, 1);
    const auto clip = [&] { nn::clip_grad_norm({{"good", good}, {"wrong", wrong}}, 1); };
    expect_error_contains<std::domain_error>(clip, "'wrong'");
    expect_equal(good.grad(), {2}, {30, 40});
    expect_equal(wrong.grad(), {2}, {bad, 1});
    expect_equal(wrong.value(), {2}, {1, 1});
  }
}

TEST(Clip, GradientsWhoseSquaresDoNotFitScalarAreStillClipped) {
  const double large = sizeof(Scalar) == 8 ? 1e150 : 1e30;
  const Variable a = two(0, 0);
  set_grad(a, large, 0);
  EXPECT_NEAR(nn::clip_grad_norm({{"a", a}}, 1) / large, 1, 1e-6);
  expect_close(a.grad(), {2}, {1, 0});
}

TEST(Clip, RefusesAMaximumThatIsNotAboveZero) {
  const Variable a = two(0, 0);
  for (const double maximum : {0.0, -1.0, kNan}) {
    const auto clip = [&] { nn::clip_grad_norm({{"a", a}}, maximum); };
    expect_error_contains<std::invalid_argument>(clip, "max_norm");
  }
}

// The squares are added in double: those of any float fit, those of two large doubles do not.
TEST(Clip, ASumOfSquaresBeyondDoubleIsRefusedToo) {
  constexpr bool kIsDouble = std::is_same_v<Scalar, double>;
  const double large = kIsDouble ? 1.3e154 : 1e30;
  const Variable a = two(0, 0);
  const Variable b = two(0, 0);
  set_grad(a, large, 0);
  set_grad(b, large, 0);
  const auto clip = [&] { return nn::clip_grad_norm({{"a", a}, {"b", b}}, 1); };
  if (kIsDouble) {
    expect_error_contains<std::domain_error>(clip, "'b'");
    EXPECT_EQ(a.grad().at({0}), static_cast<Scalar>(large));
  } else {
    EXPECT_NEAR(clip() / large, std::sqrt(2.0), 1e-6);
    EXPECT_NEAR(static_cast<double>(a.grad().at({0})), std::sqrt(0.5), 1e-6);
  }
}

TEST(Schedule, RisesThenFallsAlongHalfACosine) {
  const nn::WarmupCosine schedule{4, 12, 1.0, 0.2};
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(0, schedule), 0.2);
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(3, schedule), 0.8);
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(4, schedule), 1.0);
  EXPECT_NEAR(nn::warmup_cosine(6, schedule), 0.2 + 0.8 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_NEAR(nn::warmup_cosine(8, schedule), 0.6, 1e-12);
  EXPECT_NEAR(nn::warmup_cosine(12, schedule), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(1000, schedule), 0.2);
}

TEST(Schedule, BL45_DecayEndingWhereWarmupEnds) {
  const nn::WarmupCosine schedule{100, 100, 1.0, 0.1};
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(100, schedule), 1.0);
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(101, schedule), 0.1);
  constexpr Index kMax = std::numeric_limits<Index>::max();
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(kMax - 1, {kMax, kMax, 1.0, 0.1}), 1.0);
  const auto shorter = [] { nn::warmup_cosine(0, {100, 50, 1.0, 0.1}); };
  const std::string text = message_of<std::invalid_argument>(shorter);
  EXPECT_NE(text.find("100"), std::string::npos);
  EXPECT_NE(text.find("50"), std::string::npos);
}

TEST(Schedule, BL46_WarmupOfZeroOrOne) {
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(0, {0, 10, 1.0, 0.1}), 1.0);
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(0, {1, 10, 1.0, 0.1}), 0.5);
  EXPECT_DOUBLE_EQ(nn::warmup_cosine(1, {1, 10, 1.0, 0.1}), 1.0);
  for (Index warmup = 0; warmup < 3; ++warmup) {
    for (Index total = warmup; total < 4; ++total) {
      for (Index step = 0; step < 6; ++step) {
        EXPECT_TRUE(std::isfinite(nn::warmup_cosine(step, {warmup, total, 1.0, 0.1})));
      }
    }
  }
}

TEST(Schedule, RefusesFieldsOutOfRange) {
  const auto at = [](Index step, const nn::WarmupCosine& schedule) {
    return [step, schedule] { nn::warmup_cosine(step, schedule); };
  };
  expect_error_contains<std::invalid_argument>(at(-1, {0, 10, 1, 0}), "step is -1");
  expect_error_contains<std::invalid_argument>(at(0, {-1, 10, 1, 0}), "warmup is -1");
  expect_error_contains<std::invalid_argument>(at(0, {0, 10, 1, 2}), "min_rate is 2");
  expect_error_contains<std::invalid_argument>(at(0, {0, 10, 1, -2}), "min_rate is -2");
  expect_error_contains<std::invalid_argument>(at(0, {0, 10, kNan, 0}), "max_rate");
}

// An inner result keeps no gradient, so it would never move.
TEST(Optimizer, RefusesTheResultOfAnOperation) {
  const Variable x = two(1, 2);
  expect_error_contains<std::invalid_argument>(
      [&] {
        nn::Adam({{"y", x * x}}, {});
      },
      "'y' is the result of multiply");
}

TEST(Adam, RefusesAnEpsilonThatIsNotFinite) {
  nn::AdamOptions options;
  options.epsilon = static_cast<Scalar>(kInfinity);
  expect_error_contains<std::invalid_argument>(
      [&] {
        nn::Adam({{"x", two(1, 2)}}, options);
      },
      "epsilon is inf");
}

TEST(WarmupCosine, RefusesARateThatIsNotFinite) {
  expect_error_contains<std::invalid_argument>(
      [] {
        nn::warmup_cosine(0, {0, 10, kInfinity, 0});
      },
      "max_rate is inf");
}

}  // namespace
}  // namespace vitro::test
