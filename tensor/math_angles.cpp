// Sine and cosine of tensor/math.h.
#include <cmath>
#include <limits>

#include "tensor/math.h"

namespace vitro::math {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// x = n π/2 + r with |r| about π/4 at most; quadrant = n mod 4.
struct Angle {
  int quadrant;
  double r;
};

Angle reduce_by_half_pi(double x) {
  constexpr double kLargest = 0x1p50;
  if (!(std::fabs(x) <= kLargest)) return {0, std::fabs(x) < kInfinity ? 0 : kNan};
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  // π/2 in three pieces. The first subtraction is exact, so r keeps all its digits even where
  // x is very close to a multiple of π/2.
  constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
  constexpr double kHalfPiMiddle = 0x1.1a62633145c07p-54;
  constexpr double kHalfPiLow = -0x1.f1976b7ed8fbcp-110;
  const double n = std::floor(std::fma(x, kTwoOverPi, 0.5));
  double r = std::fma(n, -kHalfPiHigh, x);
  r = std::fma(n, -kHalfPiMiddle, r);
  r = std::fma(n, -kHalfPiLow, r);
  return {static_cast<int>(n - 4 * std::floor(n / 4)), r};
}

/// sin(r) near 0: the Taylor series up to r^17 / 17!.
double sin_near_zero(double r) {
  const double z = r * r;
  double p = 1.0 / 355687428096000;
  p = std::fma(p, z, -1.0 / 1307674368000);
  p = std::fma(p, z, 1.0 / 6227020800);
  p = std::fma(p, z, -1.0 / 39916800);
  p = std::fma(p, z, 1.0 / 362880);
  p = std::fma(p, z, -1.0 / 5040);
  p = std::fma(p, z, 1.0 / 120);
  p = std::fma(p, z, -1.0 / 6);
  return std::fma(r * z, p, r);
}

/// cos(r) near 0: the Taylor series up to r^18 / 18!.
double cos_near_zero(double r) {
  const double z = r * r;
  double p = -1.0 / 6402373705728000;
  p = std::fma(p, z, 1.0 / 20922789888000);
  p = std::fma(p, z, -1.0 / 87178291200);
  p = std::fma(p, z, 1.0 / 479001600);
  p = std::fma(p, z, -1.0 / 3628800);
  p = std::fma(p, z, 1.0 / 40320);
  p = std::fma(p, z, -1.0 / 720);
  p = std::fma(p, z, 1.0 / 24);
  p = std::fma(p, z, -0.5);
  return std::fma(z, p, 1);
}

}  // namespace

double sin(double x) {
  if (x == 0) return x;  // keeps the sign of -0
  const Angle angle = reduce_by_half_pi(x);
  const double y = angle.quadrant % 2 == 0 ? sin_near_zero(angle.r) : cos_near_zero(angle.r);
  return angle.quadrant < 2 ? y : -y;
}

double cos(double x) {
  const Angle angle = reduce_by_half_pi(x);
  const double y = angle.quadrant % 2 == 0 ? cos_near_zero(angle.r) : sin_near_zero(angle.r);
  return angle.quadrant == 0 || angle.quadrant == 3 ? y : -y;
}

float sin(float x) { return static_cast<float>(sin(static_cast<double>(x))); }

float cos(float x) { return static_cast<float>(cos(static_cast<double>(x))); }

}  // namespace vitro::math
