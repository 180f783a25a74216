// The number type of the whole library, chosen once at compile time.
//
// `Scalar` is float. The same sources are compiled a second time with double (target
// Vitro::vitro_double), so that gradients can be checked to 1e-6 and better. Every core type lives
// in an inline namespace named after the choice: a program built for one scalar and linked with
// the other fails to link, instead of computing nonsense.
#pragma once

#include <cstdint>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||                     \
    defined(__NO_SIGNED_ZEROS__) || defined(_M_FP_FAST)
#error "Vitro needs NaN, infinity and sums in their order: remove -ffast-math, -Ofast and their kin"
#endif

#ifdef VITRO_SCALAR_DOUBLE
#define VITRO_SCALAR_NAMESPACE double_scalar
#else
#define VITRO_SCALAR_NAMESPACE float_scalar
#endif

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

#ifdef VITRO_SCALAR_DOUBLE
using Scalar = double;
#else
using Scalar = float;
#endif

}  // namespace VITRO_SCALAR_NAMESPACE

/// Sizes, positions and counts: signed and 64 bits wide, everywhere.
using Index = std::int64_t;

}  // namespace vitro
