#include "tensor/arithmetic.h"

#include "tensor/create.h"
#include "tensor/kernels/arithmetic.h"
#include "tensor/strided.h"
#include "tensor/views.h"

namespace vitro {

Tensor operator+(const Tensor& a, const Tensor& b) { return zip(a, b, "add", kernels::add_row); }

Tensor operator-(const Tensor& a, const Tensor& b) {
  return zip(a, b, "subtract", kernels::subtract_row);
}

Tensor operator*(const Tensor& a, const Tensor& b) {
  return zip(a, b, "multiply", kernels::multiply_row);
}

Tensor operator/(const Tensor& a, const Tensor& b) {
  return zip(a, b, "divide", kernels::divide_row);
}

Tensor operator+(const Tensor& a, Scalar b) { return a + full({}, b); }

Tensor operator-(const Tensor& a, Scalar b) { return a - full({}, b); }

Tensor operator*(const Tensor& a, Scalar b) { return a * full({}, b); }

Tensor operator/(const Tensor& a, Scalar b) { return a / full({}, b); }

Tensor operator+(Scalar a, const Tensor& b) { return full({}, a) + b; }

Tensor operator-(Scalar a, const Tensor& b) { return full({}, a) - b; }

Tensor operator*(Scalar a, const Tensor& b) { return full({}, a) * b; }

Tensor operator/(Scalar a, const Tensor& b) { return full({}, a) / b; }

Tensor operator-(const Tensor& x) { return Scalar(-1) * x; }

Tensor maximum(const Tensor& a, const Tensor& b) {
  return zip(a, b, "maximum", kernels::maximum_row);
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  return zip(a, b, "minimum", kernels::minimum_row);
}

Tensor greater(const Tensor& a, const Tensor& b) {
  return zip(a, b, "greater", kernels::greater_row);
}

Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return zip(a, b, "greater_equal", kernels::greater_equal_row);
}

Tensor equal(const Tensor& a, const Tensor& b) { return zip(a, b, "equal", kernels::equal_row); }

Tensor pow(const Tensor& x, Scalar exponent) {
  return zip(x, full({}, exponent), "pow", kernels::power_row);
}

Tensor clamp(const Tensor& x, Scalar low, Scalar high) {
  if (!(low <= high)) {
    throw_invalid({"clamp: low is ", low, ", high is ", high, "; low must not be above high"});
  }
  return minimum(maximum(x, full({}, low)), full({}, high));
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Shape values_shape = broadcast_shapes(a.shape(), b.shape(), "where");
  const Shape shape =
      broadcast_shapes(condition.shape(), values_shape, "where, condition against values");
  return Tensor::filled(shape, [&](Scalar* out) {
    copy_strided(broadcast_to(b, shape), out);
    run_rows(broadcast_to(condition, shape), broadcast_to(a, shape), out, row_major_strides(shape),
             kernels::select_row);
  });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  if (!broadcasts_to(mask.shape(), x.shape())) {
    throw ShapeError({"masked_fill: the mask is ", mask.shape(), ", x is ", x.shape(),
                      "; the mask must stretch to x"});
  }
  return where(mask, full({}, value), x);
}

}  // namespace vitro
