// Operations on pairs of elements. Shapes stretch to each other (broadcasting): matched from the
// last axis, sizes must be equal or one of them 1; ShapeError otherwise.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);

Tensor operator+(const Tensor& a, Scalar b);
Tensor operator-(const Tensor& a, Scalar b);
Tensor operator*(const Tensor& a, Scalar b);
Tensor operator/(const Tensor& a, Scalar b);

Tensor operator+(Scalar a, const Tensor& b);
Tensor operator-(Scalar a, const Tensor& b);
Tensor operator*(Scalar a, const Tensor& b);
Tensor operator/(Scalar a, const Tensor& b);

Tensor operator-(const Tensor& x);

/// The larger, the smaller of each pair; NaN where either is NaN.
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);

/// 1 where the comparison holds, else 0. Comparisons with NaN do not hold.
Tensor greater(const Tensor& a, const Tensor& b);
Tensor greater_equal(const Tensor& a, const Tensor& b);
Tensor equal(const Tensor& a, const Tensor& b);

/// x to the power `exponent`, elementwise; NaN for a negative x and a fractional exponent.
Tensor pow(const Tensor& x, Scalar exponent);

/// x cut to [low, high]; NaN stays NaN. Throws std::invalid_argument unless low <= high.
Tensor clamp(const Tensor& x, Scalar low, Scalar high);

/// a where `condition` is not 0, else b; all three stretch to one shape.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

/// x with `value` wherever `mask` (stretched to x's shape) is not 0. Throws ShapeError where it
/// does not stretch.
Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);

}  // namespace vitro
