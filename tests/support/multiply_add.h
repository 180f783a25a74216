// The step of every chain in a matrix product, as this build's kernels do it.
#pragma once

#include <cmath>

#include "tensor/scalar.h"

namespace vitro::test {

/// a · b + sum, rounded once; a processor without fused multiply-add rounds twice.
inline Scalar multiply_add(Scalar a, Scalar b, Scalar sum) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return std::fma(a, b, sum);
#else
  return a * b + sum;
#endif
}

}  // namespace vitro::test
