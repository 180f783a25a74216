// exp, log, tanh, sigmoid and erf of one element, without branches, for loops that compilers turn
// into lanes.
//
// Every line is an elementwise operation or a select, so a loop over an array computes with 4, 8
// or 16 lanes exactly what the single call computes. For double the functions of tensor/math.h do.
// Polynomials without a named series are minimax fits (Remez exchange, coefficients rounded to
// float one after the other, lowest first, the rest fitted again).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/math.h"

namespace vitro::kernels {

/// 2^n, built from its exponent bits; n in [-126, 127].
static inline float power_of_two(std::int32_t n) {
  return std::bit_cast<float>((static_cast<std::uint32_t>(n) + 127U) << 23);
}

/// e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln(2) / 2.
static inline float exp_lane(float x) {
  // Outside this range the result is +inf or 0; NaN passes both comparisons. The second one comes
  // last: GCC would entangle two clamps in a row.
  constexpr float kHighest = 89;
  constexpr float kLowest = -105;
  const bool underflows = x < kLowest;
  x = x > kHighest ? kHighest : x;
  // Adding 1.5 · 2^23 leaves no bits for a fraction: the sum's last bits are the integer n.
  constexpr float kShift = 12582912;
  constexpr float kLog2E = float(1.4426950408889634);
  const float shifted = std::fma(x, kLog2E, kShift);
  const float n = shifted - kShift;
  // ln 2 in two pieces, so that x - n ln 2 keeps all its digits.
  constexpr float kLn2High = float(0x1.62e43p-1);
  constexpr float kLn2Low = float(-0x1.05c61p-29);
  const float r = std::fma(n, -kLn2Low, std::fma(n, -kLn2High, x));
  // e^r = 1 + r + r² p(r)
  float p = float(0.0013838812);
  p = std::fma(p, r, float(0.00836919248));
  p = std::fma(p, r, float(0.0416681021));
  p = std::fma(p, r, float(0.166665167));
  p = std::fma(p, r, float(0.49999994));
  const float e = std::fma(r * r, p, r) + 1;
  // 2^n as two factors: the product can then reach subnormals and overflow.
  const std::int32_t exponent = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) -
                                                          std::bit_cast<std::uint32_t>(kShift));
  const std::int32_t half = exponent >> 1;
  const float y = e * power_of_two(half) * power_of_two(exponent - half);
  return underflows ? 0 : y;
}

/// log(2^k m) = k ln 2 + log(m) with m in [√½, √2); log(m) by the series of 2 atanh(s).
static inline float log_lane(float x) {
  constexpr float kSmallestNormal = std::numeric_limits<float>::min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool subnormal = x < kSmallestNormal;
  const float scaled = subnormal ? x * float(8388608) : x;  // 2^23
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);
  const std::uint32_t root_half = 0x3f3504f3U;  // √½
  const std::int32_t exponent = static_cast<std::int32_t>(bits - root_half) >> 23;
  const float m = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(exponent) << 23));
  const float k = static_cast<float>(exponent) - (subnormal ? float(23) : float(0));
  // log(1 + f) = 2s + 2s³/3 + 2s⁵/5 + … = f - s (f - r) with s = f / (2 + f)
  const float f = m - 1;
  const float s = f / (2 + f);
  const float z = s * s;
  float r = float(2.0 / 9);
  r = std::fma(r, z, float(2.0 / 7));
  r = std::fma(r, z, float(2.0 / 5));
  r = std::fma(r, z, float(2.0 / 3));
  const float log_m = std::fma(-s, std::fma(-r, z, f), f);
  constexpr float kLn2High = float(0x1.62e43p-1);
  constexpr float kLn2Low = float(-0x1.05c61p-29);
  float y = std::fma(k, kLn2High, std::fma(k, kLn2Low, log_m));
  y = x < kInfinity ? y : kInfinity;
  y = x == 0 ? -kInfinity : y;
  return x >= 0 ? y : std::numeric_limits<float>::quiet_NaN();
}

/// tanh(x) = 1 - 2 / (e^2x + 1); near 0, where that cancels, x + x³ p(x²).
static inline float tanh_lane(float x) {
  const float magnitude = std::fabs(x);
  const float large = 1 - 2 / (exp_lane(2 * magnitude) + 1);
  const float z = x * x;
  float p = float(-0.000358394434);
  p = std::fma(p, z, float(0.0023012301));
  p = std::fma(p, z, float(-0.00794601347));
  p = std::fma(p, z, float(0.0214866754));
  p = std::fma(p, z, float(-0.0538798459));
  p = std::fma(p, z, float(0.133323461));
  p = std::fma(p, z, float(-0.333332956));
  const float small = std::fma(magnitude * z, p, magnitude);
  return std::copysign(magnitude < 1 ? small : large, x);
}

/// 1 / (1 + e^-x), for negative x as e^x / (1 + e^x): nothing overflows or cancels.
static inline float sigmoid_lane(float x) {
  const float e = exp_lane(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/// erf(x) = x + x p(x²) up to 1; beyond, 1 - e^-q(x), where q fits -log(1 - erf).
static inline float erf_lane(float x) {
  const float magnitude = std::fabs(x);
  const float z = x * x;
  float p = float(7.80690389e-05);
  p = std::fma(p, z, float(-0.00079978531));
  p = std::fma(p, z, float(0.0051871622));
  p = std::fma(p, z, float(-0.0268533472));
  p = std::fma(p, z, float(0.112835787));
  p = std::fma(p, z, float(-0.37612626));
  p = std::fma(p, z, float(0.128379166));
  const float small = std::fma(magnitude, p, magnitude);
  constexpr float kOne = 4;  // erf(4) rounds to 1
  const float t = magnitude > kOne ? kOne : magnitude;
  float q = float(-0.000186377802);
  q = std::fma(q, t, float(0.00294763944));
  q = std::fma(q, t, float(-0.0218379851));
  q = std::fma(q, t, float(0.103106603));
  q = std::fma(q, t, float(0.63814497));
  q = std::fma(q, t, float(1.12708914));
  q = std::fma(q, t, float(0.00034152338));
  const float large = 1 - exp_lane(-q);
  return std::copysign(magnitude < 1 ? small : large, x);
}

// The same names for double: the double build proves formulas and need not be fast.
static inline double exp_lane(double x) { return math::exp(x); }

static inline double log_lane(double x) { return math::log(x); }

static inline double tanh_lane(double x) { return math::tanh(x); }

static inline double sigmoid_lane(double x) { return math::sigmoid(x); }

static inline double erf_lane(double x) { return math::erf(x); }

}  // namespace vitro::kernels
