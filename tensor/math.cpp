#include "tensor/math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/kernels/math_lanes.h"

namespace vitro::math {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ln 2 = high + low: x - n ln 2 then keeps all its digits.
constexpr double kLn2High = 0x1.62e42fefa39efp-1;
constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;

/// 2^n, built from its exponent bits; n in [-1022, 1023].
double power_of_two(std::int64_t n) {
  return std::bit_cast<double>((static_cast<std::uint64_t>(n) + 1023U) << 52);
}

/// e^r - 1 for |r| <= ln(2) / 2: the Taylor series up to r^13 / 13!.
double exp_minus_one_near_zero(double r) {
  double p = 1.0 / 6227020800;
  p = std::fma(p, r, 1.0 / 479001600);
  p = std::fma(p, r, 1.0 / 39916800);
  p = std::fma(p, r, 1.0 / 3628800);
  p = std::fma(p, r, 1.0 / 362880);
  p = std::fma(p, r, 1.0 / 40320);
  p = std::fma(p, r, 1.0 / 5040);
  p = std::fma(p, r, 1.0 / 720);
  p = std::fma(p, r, 1.0 / 120);
  p = std::fma(p, r, 1.0 / 24);
  p = std::fma(p, r, 1.0 / 6);
  p = std::fma(p, r, 0.5);
  return std::fma(r * r, p, r);
}

/// x = n ln 2 + r with whole n and |r| <= ln(2) / 2.
struct ExpReduction {
  double n;
  double r;
};

ExpReduction reduce_by_ln2(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  const double n = std::floor(std::fma(x, kLog2E, 0.5));
  return {n, std::fma(n, -kLn2Low, std::fma(n, -kLn2High, x))};
}

/// e^(x + tail), where the tail lies below the last digit of x.
double exp_of_sum(double x, double tail) {
  if (x != x) return x;
  if (x > 710) return kInfinity;
  if (x < -746) return 0;
  const ExpReduction reduced = reduce_by_ln2(x);
  const double without_tail = exp_minus_one_near_zero(reduced.r);
  const double e = 1 + (without_tail + std::fma(without_tail, tail, tail));
  // 2^n as two factors: the product can then reach subnormals and overflow.
  const std::int64_t n = static_cast<std::int64_t>(reduced.n);
  const std::int64_t half = n >> 1;
  return e * power_of_two(half) * power_of_two(n - half);
}

/// erf for 0 <= x < 2: 2/√π x e^(-x²) Σ (2x²)^n / (1·3·5 … (2n + 1)); no term is negative.
double erf_series(double x) {
  constexpr double kTwoOverRootPi = 1.1283791670955126;
  const double z = x * x;
  const double z_error = std::fma(x, x, -z);
  double sum = 1;
  for (int n = 32; n >= 1; --n) sum = std::fma(sum, 2 * z / (2 * n + 1), 1);
  return kTwoOverRootPi * x * sum * exp_of_sum(-z, -z_error);
}

/// 1 - erf(x) for x >= 2: e^(-x²) / √π times the continued fraction 1/(x + ½/(x + 1/(x + 3/2/(x +
/// …)))).
double erf_complement(double x) {
  constexpr double kOneOverRootPi = 0.56418958354775629;
  double fraction = x;
  for (int n = 60; n >= 1; --n) fraction = x + 0.5 * n / fraction;
  return kOneOverRootPi * exp_of_sum(-x * x, 0) / fraction;
}

/// A number with about 106 digits of binary: high + low, where low is below high's last digit.
struct DoubleDouble {
  double high;
  double low;
};

/// a + b without error, for |a| >= |b|.
DoubleDouble exact_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const double high = a.high * b.high;
  const double error = std::fma(a.high, b.high, -high);
  return exact_sum(high, error + std::fma(a.high, b.low, a.low * b.high));
}

/// a + b for |a| >= |b|.
DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum(a.high, b.high);
  return exact_sum(high.high, high.low + (a.low + b.low));
}

/// x = 2^k m with m in [√½, √2), for finite x > 0.
struct LogReduction {
  double k;
  double m;
};

LogReduction reduce_by_two(double x) {
  double k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t root_half = 0x3fe6a09e667f3bcdU;  // √½
  const std::int64_t exponent = static_cast<std::int64_t>(bits - root_half) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  return {k + static_cast<double>(exponent), m};
}

/// (atanh(√z) / √z - 1 - z/3) / z² = 1/5 + z/7 + z²/9 + … for z <= 0.0295.
double atanh_tail(double z) {
  double p = 1.0 / 23;
  for (int n = 21; n >= 5; n -= 2) p = std::fma(p, z, 1.0 / n);
  return p;
}

/// log(x) to about 100 binary digits, for finite x > 0: k ln 2 + 2 atanh((m - 1) / (m + 1)).
DoubleDouble precise_log(double x) {
  const LogReduction reduced = reduce_by_two(x);
  const double f = reduced.m - 1;
  const DoubleDouble divisor = exact_sum(2, f);
  const double s_high = f / divisor.high;
  const double remainder = std::fma(-s_high, divisor.high, f) - s_high * divisor.low;
  const DoubleDouble s = exact_sum(s_high, remainder / divisor.high);
  const DoubleDouble z = multiply(s, s);
  constexpr DoubleDouble kThird{0x1.5555555555555p-2, 0x1.5555555555555p-56};
  const DoubleDouble bracket = add(kThird, {z.high * atanh_tail(z.high), 0});
  const DoubleDouble atanh = add(s, multiply(s, multiply(z, bracket)));
  const DoubleDouble log_m{2 * atanh.high, 2 * atanh.low};
  if (reduced.k == 0) return log_m;
  return add(multiply({reduced.k, 0}, {kLn2High, kLn2Low}), log_m);
}

/// x^y for x > 0, both finite.
double positive_pow(double x, double y) {
  const DoubleDouble log_x = precise_log(x);
  const double product = y * log_x.high;
  if (!(std::fabs(product) < 1000)) return product > 0 ? kInfinity : 0;
  return exp_of_sum(product, std::fma(y, log_x.low, std::fma(y, log_x.high, -product)));
}

/// x^n for n in 0 … 8 by squaring: at most 7 half units in the last place.
double small_power(double x, int n) {
  double result = 1;
  for (double square = x; n > 0; n /= 2, square *= square) {
    if (n % 2 == 1) result *= square;
  }
  return result;
}

/// |x|^y where x or y is zero or infinite; y is not 0.
double limit_pow(double magnitude, double y) {
  if (magnitude == 1) return 1;
  return (magnitude > 1) == (y > 0) ? kInfinity : 0;
}

}  // namespace

double exp(double x) { return exp_of_sum(x, 0); }

double log(double x) {
  if (!(x >= 0)) return kNan;
  if (x == 0) return -kInfinity;
  if (x == kInfinity) return x;
  const LogReduction reduced = reduce_by_two(x);
  // log(1 + f) = 2s + 2s³/3 + … = f - s (f - r) with s = f / (2 + f)
  const double f = reduced.m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double r = 2 * z * std::fma(z, atanh_tail(z), 1.0 / 3);
  const double log_m = std::fma(-s, f - r, f);
  return std::fma(reduced.k, kLn2High, std::fma(reduced.k, kLn2Low, log_m));
}

double tanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 22) return std::copysign(1.0, x);
  if (x != x) return x;
  // tanh(x) = -t / (2 + t) with t = e^-2x - 1, which keeps its digits near 0.
  const ExpReduction reduced = reduce_by_ln2(-2 * magnitude);
  const double scale = power_of_two(static_cast<std::int64_t>(reduced.n));
  const double t = std::fma(scale, exp_minus_one_near_zero(reduced.r), scale - 1);
  return std::copysign(t / (2 + t), x);  // t < 0: copysign mends the sign
}

double sigmoid(double x) {
  const double e = exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

double erf(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < 2) return std::copysign(erf_series(magnitude), x);
  if (magnitude > 6) return std::copysign(1.0, x);
  return std::copysign(1 - erf_complement(magnitude), x);
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return kNan;
  const bool whole = y == std::floor(y);
  if (whole && y > 0 && y <= 8) return small_power(x, static_cast<int>(y));
  if (y == -1) return 1 / x;
  const double magnitude = std::fabs(x);
  const bool odd = whole && std::fabs(y) < kInfinity && 2 * std::floor(y / 2) != y;
  const bool limit = magnitude == 0 || magnitude == kInfinity || std::fabs(y) == kInfinity;
  if (x < 0 && !whole && !limit) return kNan;
  const double result = limit ? limit_pow(magnitude, y) : positive_pow(magnitude, y);
  return odd ? std::copysign(result, x) : result;
}

double sqrt(double x) { return std::sqrt(x); }

// The float versions are one lane of the array kernels, or double rounded once.

float exp(float x) { return kernels::exp_lane(x); }

float log(float x) { return kernels::log_lane(x); }

float tanh(float x) { return kernels::tanh_lane(x); }

float sigmoid(float x) { return kernels::sigmoid_lane(x); }

float erf(float x) { return kernels::erf_lane(x); }

float pow(float x, float y) {
  return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y)));
}

float sqrt(float x) { return std::sqrt(x); }

}  // namespace vitro::math
