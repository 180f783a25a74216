// The library's own exp, log, tanh, …: accuracy against long double, limits, and identical bits.
#include "tensor/math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <type_traits>
#include <vector>

namespace vitro {
namespace {

/// A small generator of 64 random bits (SplitMix64), the same on every machine.
std::uint64_t next_bits(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Numbers in [low, high]: half evenly spread, half with random bits, so that all exponents occur.
template <class Number>
std::vector<Number> samples(Number low, Number high) {
  constexpr int kCount = 100000;
  using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  std::vector<Number> result{low, high};
  std::uint64_t state = 7;
  for (int i = 0; i < kCount; ++i) {
    const Number position = static_cast<Number>(i) / kCount;
    result.push_back(low + (high - low) * position);
    const Number random = std::bit_cast<Number>(static_cast<Bits>(next_bits(state)));
    if (random >= low && random <= high) result.push_back(random);
  }
  return result;
}

template <class Number>
long double absolute_error(Number actual, long double expected) {
  return std::fabs(static_cast<long double>(actual) - expected);
}

/// The largest relative error over the samples whose true result is a normal number.
template <class Number, class Function, class Reference>
double worst_error(Function function, Reference reference, Number low, Number high) {
  long double worst = 0;
  for (const Number x : samples(low, high)) {
    const long double expected = reference(static_cast<long double>(x));
    const long double size = std::fabs(expected);
    if (size < static_cast<long double>(std::numeric_limits<Number>::min())) continue;
    if (size > static_cast<long double>(std::numeric_limits<Number>::max())) continue;
    const long double error = absolute_error(function(x), expected) / size;
    if (!(error <= worst)) worst = error;
  }
  return static_cast<double>(worst);
}

constexpr double kDoubleBound = 1e-15;

/// Both versions of a function, as a generic lambda, against the reference.
template <class Function, class Reference>
void expect_accurate(Function function, Reference reference, double low, double high,
                     double float_bound) {
  EXPECT_LT(worst_error(function, reference, static_cast<float>(low), static_cast<float>(high)),
            float_bound);
  EXPECT_LT(worst_error(function, reference, low, high), kDoubleBound);
}

long double reference_exp(long double x) { return std::exp(x); }

long double reference_log(long double x) { return std::log(x); }

long double reference_tanh(long double x) { return std::tanh(x); }

long double reference_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

long double reference_erf(long double x) { return std::erf(x); }

long double reference_sin(long double x) { return std::sin(x); }

long double reference_cos(long double x) { return std::cos(x); }

TEST(Math, ExpIsAccurate) {
  expect_accurate([](auto x) { return math::exp(x); }, reference_exp, -750, 750, 8.5e-8);
  expect_accurate([](auto x) { return math::exp(x); }, reference_exp, -1, 1, 8.5e-8);
}

TEST(Math, LogIsAccurate) {
  expect_accurate([](auto x) { return math::log(x); }, reference_log, 0, 1e30, 8.5e-8);
  expect_accurate([](auto x) { return math::log(x); }, reference_log, 0.25, 4, 8.5e-8);
}

TEST(Math, TanhIsAccurate) {
  expect_accurate([](auto x) { return math::tanh(x); }, reference_tanh, -30, 30, 8.5e-8);
  expect_accurate([](auto x) { return math::tanh(x); }, reference_tanh, -1.5, 1.5, 8.5e-8);
}

TEST(Math, SigmoidIsAccurate) {
  expect_accurate([](auto x) { return math::sigmoid(x); }, reference_sigmoid, -800, 800, 1.8e-7);
  expect_accurate([](auto x) { return math::sigmoid(x); }, reference_sigmoid, -20, 20, 1.8e-7);
}

TEST(Math, ErfIsAccurate) {
  expect_accurate([](auto x) { return math::erf(x); }, reference_erf, -7, 7, 8.5e-8);
  expect_accurate([](auto x) { return math::erf(x); }, reference_erf, -2.5, 2.5, 8.5e-8);
}

TEST(Math, SinAndCosAreAccurate) {
  for (const double limit : {4.0, 1e5, 1e15}) {
    expect_accurate([](auto x) { return math::sin(x); }, reference_sin, -limit, limit, 6.1e-8);
    expect_accurate([](auto x) { return math::cos(x); }, reference_cos, -limit, limit, 6.1e-8);
  }
}

TEST(Math, SinKeepsItsDigitsNextToMultiplesOfPi) {
  for (int n = 1; n < 30000; n += 7) {
    const double x = n * 3.14159265358979323846;
    const long double expected = std::sin(static_cast<long double>(x));
    EXPECT_LT(absolute_error(math::sin(x), expected), 1e-15L * std::fabs(expected)) << x;
  }
}

/// Folds the bits of a result into a hash (FNV-1a over whole numbers).
template <class Number>
void fold(std::uint64_t& hash, Number y) {
  using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  hash = (hash ^ std::bit_cast<Bits>(y)) * 0x100000001b3U;
}

template <class Number>
void fold_all(std::uint64_t& hash, Number x) {
  fold(hash, math::exp(x));
  fold(hash, math::log(std::fabs(x)));
  fold(hash, math::tanh(x));
  fold(hash, math::sigmoid(x));
  fold(hash, math::erf(x));
  fold(hash, math::sin(x));
  fold(hash, math::cos(x));
  fold(hash, math::pow(std::fabs(x), Number(1.75)));
}

template <class Number>
std::uint64_t hash_of_results() {
  std::uint64_t hash = 0xcbf29ce484222325U;
  std::uint64_t state = 11;
  for (int i = -50000; i <= 50000; ++i) {
    fold_all(hash, static_cast<Number>(i) / 512);  // exact, up to ±97.7
    const std::uint64_t bits = next_bits(state);
    const Number random_exponent = static_cast<Number>(bits >> 60) - 8;
    const Number random_digits = static_cast<Number>(bits & 0xfffffU) / 0x100000;
    fold_all(hash, std::ldexp(random_digits, static_cast<int>(4 * random_exponent)) / 0x4000000);
  }
  return hash;
}

// Recorded once; every compiler, processor and build type must reproduce them.
TEST(Math, BitsAreTheSameEverywhere) {
  EXPECT_EQ(hash_of_results<float>(), 16165478566340081851U);
  EXPECT_EQ(hash_of_results<double>(), 4398881033399800540U);
}

}  // namespace
}  // namespace vitro
