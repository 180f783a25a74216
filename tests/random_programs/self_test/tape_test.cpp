// The tape: its numbers, its gradients, and its bounds, which must hold and not be empty words.
#include "tests/random_programs/tape.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "tensor/random.h"

namespace vitro::programs {
namespace {

constexpr double kFloatUnit = 0x1p-24;

// One formula, once on a tape with float's unit and once in floats.
struct Formula {
  std::string name;
  std::function<Term(const Term&, const Term&)> on_tape;
  std::function<float(float, float)> in_floats;
};

std::vector<Formula> formulas() {
  return {
      {"sum", [](auto a, auto b) { return a + b; }, [](float a, float b) { return a + b; }},
      {"cancels", [](auto a, auto b) { return (a + b) - a; },
       [](float a, float b) { return (a + b) - a; }},
      {"quotient", [](auto a, auto b) { return a / b * a; },
       [](float a, float b) { return a / b * a; }},
      {"root", [](auto a, auto b) { return sqrt(a * b) / a; },
       [](float a, float b) { return std::sqrt(a * b) / a; }},
      {"exp of log", [](auto a, auto b) { return exp(log(a) * b); },
       [](float a, float b) { return std::exp(std::log(a) * b); }},
      {"tanh", [](auto a, auto b) { return tanh(a * b) - b; },
       [](float a, float b) { return std::tanh(a * b) - b; }},
      {"sigmoid", [](auto a, auto b) { return sigmoid(a / b); },
       [](float a, float b) { return 1 / (1 + std::exp(-(a / b))); }},
      {"erf", [](auto a, auto b) { return erf(a * b); },
       [](float a, float b) { return std::erf(a * b); }},
      {"power", [](auto a, auto b) { return pow(a * b, 1.5); },
       [](float a, float b) { return std::pow(a * b, static_cast<float>(1.5)); }},
  };
}

// Of many draws, every result in float lies within the bound, and some use a tenth of it.
TEST(Tape, BoundsHoldAndAreNotFarTooWide) {
  for (const Formula& formula : formulas()) {
    Rng rng(3);
    double largest_share = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto a = static_cast<float>(0.25 + 3 * rng.uniform());
      const auto b = static_cast<float>(0.25 + 3 * rng.uniform());
      Tape tape(kFloatUnit);
      const Term result = formula.on_tape(tape.constant(static_cast<double>(a)),
                                          tape.constant(static_cast<double>(b)));
      const double distance =
          std::fabs(static_cast<double>(formula.in_floats(a, b)) - result.value());
      ASSERT_LE(distance, result.error()) << formula.name << " of " << a << " and " << b;
      largest_share = std::fmax(largest_share, distance / result.error());
    }
    EXPECT_GT(largest_share, 0.05) << formula.name;
  }
}

// Gradients against differences of values, with no rounding to speak of.
TEST(Tape, GradientsAreTheSlopes) {
  constexpr double kStep = 1e-6;
  for (const Formula& formula : formulas()) {
    const auto value = [&](double a, double b) {
      Tape tape(0x1p-53);
      return formula.on_tape(tape.constant(a), tape.constant(b)).value();
    };
    Tape tape(0x1p-53);
    const Term a = tape.constant(1.25);
    const Term b = tape.constant(0.75);
    const std::vector<Bounded> gradients = tape.gradients(formula.on_tape(a, b));
    const double slope_a = (value(1.25 + kStep, 0.75) - value(1.25 - kStep, 0.75)) / (2 * kStep);
    const double slope_b = (value(1.25, 0.75 + kStep) - value(1.25, 0.75 - kStep)) / (2 * kStep);
    EXPECT_NEAR(gradients[0].value, slope_a, 1e-8) << formula.name;
    EXPECT_NEAR(gradients[1].value, slope_b, 1e-8) << formula.name;
  }
}

// 1/3 + 1/3 + … in floats, forwards and backwards: the bound of a sum holds in any order.
TEST(Tape, SumsAreBoundedInEveryOrder) {
  Tape tape(kFloatUnit);
  std::vector<Term> terms;
  std::vector<float> numbers;
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(static_cast<float>(rng.uniform() - 0.5));
    terms.push_back(tape.constant(static_cast<double>(numbers.back())));
  }
  const Term sum = tape.sum(terms);
  float forwards = 0;
  float backwards = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    forwards += numbers[i];
    backwards += numbers[numbers.size() - 1 - i];
  }
  EXPECT_NE(forwards, backwards);
  EXPECT_NEAR(static_cast<double>(forwards), sum.value(), sum.error());
  EXPECT_NEAR(static_cast<double>(backwards), sum.value(), sum.error());
  EXPECT_LT(sum.error(), 0.05);
}

TEST(Tape, WhatIsUsedTwiceGetsBothGradients) {
  Tape tape(kFloatUnit);
  const Term x = tape.constant(3);
  const std::vector<Bounded> gradients = tape.gradients(x * x + x);
  EXPECT_EQ(gradients[0].value, 7);
  EXPECT_GT(gradients[0].error, 0);
}

TEST(Tape, ADetachedNumberPassesNoGradient) {
  Tape tape(kFloatUnit);
  const Term x = tape.constant(3);
  EXPECT_EQ(tape.gradients(detached(x * x) * x)[0].value, 9);
}

TEST(Tape, AChoiceWithinTheErrorIsAKink) {
  Tape tape(kFloatUnit);
  abs(tape.constant(0.5, 0.25));
  EXPECT_FALSE(tape.met_a_kink());
  abs(tape.constant(0.5, 0.5));
  EXPECT_TRUE(tape.met_a_kink());
}

// A divisor, a logarithm or a root that may be 0: nothing is known of the result.
TEST(Tape, PolesHaveNoBound) {
  Tape tape(kFloatUnit);
  const Term near_zero = tape.constant(1e-3, 1e-3);
  EXPECT_TRUE(std::isinf((tape.constant(1) / near_zero).error()));
  EXPECT_TRUE(std::isinf(log(near_zero).error()));
  EXPECT_TRUE(std::isinf(sqrt(near_zero).error()));
  EXPECT_TRUE(std::isinf(pow(near_zero, -1).error()));
}

}  // namespace
}  // namespace vitro::programs
