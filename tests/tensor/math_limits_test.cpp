// pow, and the limits of all functions of tensor/math.h: NaN, infinities, zeros, subnormals.
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "tensor/math.h"

namespace vitro {
namespace {

template <class Number>
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
template <class Number>
constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();

constexpr double kDoubleBound = 1e-15;

/// A small generator of 64 random bits (SplitMix64), the same on every machine.
std::uint64_t next_bits(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

template <class Number>
long double absolute_error(Number actual, long double expected) {
  return std::fabs(static_cast<long double>(actual) - expected);
}

TEST(Math, PowIsAccurate) {
  std::uint64_t state = 3;
  for (int i = 0; i < 100000; ++i) {
    const double unit = static_cast<double>(next_bits(state) >> 11) * 0x1p-53;
    const double x = math::exp(20 * unit - 10);
    const double y = i % 2 == 0 ? static_cast<double>(i % 131 - 65) : 30 * unit - 20;
    const long double expected = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (!(expected > 1e-300L && expected < 1e300L)) continue;
    ASSERT_LT(absolute_error(math::pow(x, y), expected), 1e-15L * expected) << x << " ^ " << y;
  }
}

TEST(Math, PowOfNearOneToALargePowerIsAccurate) {
  for (const double base : {0.9, 0.95, 0.999, 0.9999}) {  // as in Adam's bias corrections
    for (int step = 1; step < 20000; step += 13) {
      const long double expected = std::pow(static_cast<long double>(base), step);
      if (expected < 1e-300L) break;
      ASSERT_LT(absolute_error(math::pow(base, step), expected), 1e-15L * expected) << step;
    }
  }
}

TEST(Math, PowOfWholeNumbersIsExact) {
  EXPECT_EQ(math::pow(3.0, 20.0), 3486784401.0);
  EXPECT_EQ(math::pow(10.0, 15.0), 1e15);
  EXPECT_EQ(math::pow(-7.0, 3.0), -343.0);
  EXPECT_EQ(math::pow(4.0, 0.5), 2.0);
  EXPECT_EQ(math::pow(float{8}, float{2}), float{64});
  for (int n = -1022; n < 1024; ++n) EXPECT_EQ(math::pow(2.0, n), std::ldexp(1.0, n)) << n;
}

TEST(Math, PowSpecialCasesFollowC) {
  const double inf = kInfinity<double>;
  const double nan = kNan<double>;
  const double values[] = {nan,  inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5,   -0.5,   2.0,
                           -2.0, 3.0, -3.0, 9.0, -9.0, 8.5, -8.5, 1e300, -1e300, 5e-324};
  for (const double x : values) {
    for (const double y : values) {
      const double expected = std::pow(x, y);
      const double actual = math::pow(x, y);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << x << " ^ " << y;
      } else if (expected == 0 || std::isinf(expected)) {
        EXPECT_EQ(actual, expected) << x << " ^ " << y;
        EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << x << " ^ " << y;
      } else {
        EXPECT_NEAR(actual / expected, 1, kDoubleBound) << x << " ^ " << y;
      }
    }
  }
}

template <class Number>
class MathLimits : public ::testing::Test {};

using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MathLimits, Numbers);

// cppcheck-suppress syntaxError ; cppcheck 2.10 does not know this macro
TYPED_TEST(MathLimits, NanStaysNan) {
  const TypeParam nan = kNan<TypeParam>;
  for (const TypeParam y : {math::exp(nan), math::log(nan), math::tanh(nan), math::sigmoid(nan),
                            math::erf(nan), math::sin(nan), math::cos(nan), math::sqrt(nan)}) {
    EXPECT_TRUE(std::isnan(y));
  }
}

TYPED_TEST(MathLimits, Infinities) {
  const TypeParam inf = kInfinity<TypeParam>;
  EXPECT_EQ(math::exp(inf), inf);
  EXPECT_EQ(math::exp(-inf), 0);
  EXPECT_EQ(math::log(inf), inf);
  EXPECT_TRUE(std::isnan(math::log(-inf)));
  EXPECT_EQ(math::tanh(inf), 1);
  EXPECT_EQ(math::tanh(-inf), -1);
  EXPECT_EQ(math::sigmoid(inf), 1);
  EXPECT_EQ(math::sigmoid(-inf), 0);
  EXPECT_EQ(math::erf(inf), 1);
  EXPECT_EQ(math::erf(-inf), -1);
  EXPECT_TRUE(std::isnan(math::sin(inf)));
  EXPECT_TRUE(std::isnan(math::cos(-inf)));
}

TYPED_TEST(MathLimits, ZerosKeepTheirSign) {
  const TypeParam zero = 0;
  for (const TypeParam x : {zero, -zero}) {
    EXPECT_EQ(math::exp(x), 1);
    EXPECT_EQ(math::log(x), -kInfinity<TypeParam>);
    EXPECT_EQ(math::sigmoid(x), TypeParam(0.5));
    EXPECT_EQ(math::cos(x), 1);
    for (const TypeParam y : {math::tanh(x), math::erf(x), math::sin(x), math::sqrt(x)}) {
      EXPECT_EQ(y, 0);
      EXPECT_EQ(std::signbit(y), std::signbit(x));
    }
  }
  EXPECT_EQ(math::log(TypeParam(1)), 0);
  EXPECT_TRUE(std::isnan(math::log(TypeParam(-1))));
}

TYPED_TEST(MathLimits, Subnormals) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam tiny = Limits::denorm_min();
  EXPECT_EQ(math::log(tiny), static_cast<TypeParam>(std::log(static_cast<long double>(tiny))));
  EXPECT_EQ(math::tanh(tiny), tiny);
  EXPECT_EQ(math::sin(tiny), tiny);
  EXPECT_EQ(math::exp(tiny), 1);
  // Results below the smallest normal number are rounded to the nearest subnormal or its neighbour.
  const TypeParam smallest = std::log(Limits::min());
  for (int i = 1; i < 20; ++i) {
    const TypeParam x = smallest - TypeParam(0.75) * static_cast<TypeParam>(i);
    const long double expected = std::exp(static_cast<long double>(x));
    EXPECT_LE(absolute_error(math::exp(x), expected), static_cast<long double>(tiny)) << x;
  }
  EXPECT_EQ(math::exp(2 * smallest), 0);
}

TYPED_TEST(MathLimits, ExpOverflowsWhereItShould) {
  const TypeParam largest = std::log(std::numeric_limits<TypeParam>::max());  // rounded
  const TypeParam step = largest * std::numeric_limits<TypeParam>::epsilon();
  EXPECT_LT(math::exp(largest - step), kInfinity<TypeParam>);
  EXPECT_EQ(math::exp(largest + 2 * step), kInfinity<TypeParam>);
}

TYPED_TEST(MathLimits, HugeAnglesStayWithinOne) {
  for (TypeParam x = 1; x < std::numeric_limits<TypeParam>::max() / 4; x *= 3) {
    EXPECT_LE(std::fabs(math::sin(x)), 1) << x;
    EXPECT_LE(std::fabs(math::cos(-x)), 1) << x;
  }
  EXPECT_EQ(math::sin(TypeParam(1e30)), 0);
  EXPECT_EQ(math::cos(TypeParam(1e30)), 1);
}

}  // namespace
}  // namespace vitro
