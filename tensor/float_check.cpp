#include "tensor/float_check.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

namespace {

using Limits = std::numeric_limits<Scalar>;

// A value that the compiler cannot know, so that it cannot do the sum itself while compiling.
Scalar opaque(Scalar value) {
  const volatile Scalar hidden = value;
  return hidden;
}

// (large + 1) - large is 0 as written; re-associated it is 1.
bool sums_are_reordered() {
  const Scalar large = opaque(2 / Limits::epsilon());
  const Scalar one = opaque(1);
  return (large + one) - large != 0;
}

// (1 + e)(1 - e) = 1 - e^2 rounds to 1; a fused multiply-add keeps the -e^2.
bool products_are_fused() {
  const Scalar above = opaque(1 + Limits::epsilon());
  const Scalar below = opaque(1 - Limits::epsilon());
  const Scalar minus_one = opaque(-1);
  return above * below + minus_one != 0;
}

// x / x is 1; x * (1 / x) is not, for these x (one for each scalar).
bool divisions_are_reciprocals() {
  const Scalar x = opaque(41);
  const Scalar y = opaque(49);
  return x / 41 != 1 || y / 49 != 1;
}

// Half of the smallest normal number is a subnormal, and doubling it comes back.
bool tiny_numbers_are_zero() {
  const Scalar half = opaque(Limits::min()) / 2;
  const Scalar tiny = opaque(Limits::denorm_min());
  return half * 2 != Limits::min() || tiny / opaque(Limits::min()) == 0;
}

// -0 + 0 is +0; a compiler that ignores signs of zero drops the addition.
bool zeros_have_no_sign() {
  const Scalar minus_zero = opaque(-Scalar(0));
  return std::signbit(minus_zero + 0) || !std::signbit(minus_zero);
}

bool nan_is_unknown() {
  const Scalar nan = opaque(Limits::quiet_NaN());
  const Scalar infinity = opaque(Limits::infinity());
  return nan == nan || !(infinity > Limits::max()) || infinity - infinity == 0;
}

// To nearest, ties to even.
bool rounding_is_not_to_nearest() {
  const Scalar one = opaque(1);
  const Scalar step = opaque(Limits::epsilon());
  return one + step / 2 != one || one + step / 4 * 3 != one + step ||
         -one - step / 4 * 3 != -one - step;
}

}  // namespace

std::string_view float_fault() {
  if (sums_are_reordered())
    return "sums are re-ordered; remove -fassociative-math (or -ffast-math)";
  if (products_are_fused()) return "products are fused into sums; compile with -ffp-contract=off";
  if (divisions_are_reciprocals())
    return "a / b is computed as a * (1 / b); remove -freciprocal-math";
  if (tiny_numbers_are_zero()) return "tiny numbers are flushed to zero; link without -ffast-math";
  if (zeros_have_no_sign()) return "-0 and +0 are taken as equal; remove -fno-signed-zeros";
  if (nan_is_unknown()) return "NaN or infinity is not kept; remove -ffinite-math-only";
  if (rounding_is_not_to_nearest())
    return "rounding is not to nearest; reset it by std::fesetround";
  return {};
}

void check_floats() {
  static const std::string_view fault = float_fault();
  if (!fault.empty()) {
    throw std::runtime_error("check_floats: the arithmetic of this program is unfit for Vitro: " +
                             std::string(fault));
  }
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
