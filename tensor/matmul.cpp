#include "tensor/matmul.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/gemm.h"
#include "tensor/views.h"

namespace vitro {
namespace {

using kernels::Gemm;
using kernels::GemmOffsets;
using kernels::MatrixView;

// The last two axes of x, as the kernel sees them.
MatrixView last_matrix(const Tensor& x) {
  const auto rank = static_cast<std::size_t>(x.rank());
  return {x.strided_data(), x.strides()[rank - 2], x.strides()[rank - 1]};
}

Shape outer_shape(const Shape& shape) { return shape.without_axis(-1).without_axis(-1); }

// x stretched to the outer axes that both operands share.
Tensor stretched(const Tensor& x, const Shape& outer) {
  return broadcast_to(x, outer.with_axis_inserted(outer.rank(), x.size(-2))
                             .with_axis_inserted(outer.rank() + 1, x.size(-1)));
}

// Where each product of the batch starts in a, b and c.
std::vector<GemmOffsets> batch_offsets(const Tensor& a, const Tensor& b, const Shape& outer,
                                       Index c_matrix_size) {
  std::vector<GemmOffsets> offsets;
  offsets.reserve(static_cast<std::size_t>(outer.element_count()));
  for (Index i = 0; i < outer.element_count(); ++i) {
    GemmOffsets place{0, 0, i * c_matrix_size};
    Index rest = i;
    for (Index axis = outer.rank() - 1; axis >= 0; --axis) {
      const Index entry = rest % outer[axis];
      rest /= outer[axis];
      place.a += entry * a.strides()[static_cast<std::size_t>(axis)];
      place.b += entry * b.strides()[static_cast<std::size_t>(axis)];
    }
    offsets.push_back(place);
  }
  return offsets;
}

Gemm product_of(const Tensor& a, const Tensor& b, Scalar* c) {
  Gemm product{};
  product.m = a.size(-2);
  product.n = b.size(-1);
  product.k = a.size(-1);
  product.a = last_matrix(a);
  product.b = last_matrix(b);
  product.c = c;
  product.c_row_stride = product.n;
  return product;
}

Tensor batched_matmul(const Tensor& a, const Tensor& b) {
  const Shape outer = broadcast_shapes(outer_shape(a.shape()), outer_shape(b.shape()), "matmul");
  const Tensor wide_a = stretched(a, outer);
  const Tensor wide_b = stretched(b, outer);
  const Shape shape = wide_a.shape().with_size(-1, b.size(-1));
  return Tensor::filled(shape, [&](Scalar* c) {
    const Gemm product = product_of(wide_a, wide_b, c);
    gemm_batch(product, batch_offsets(wide_a, wide_b, outer, product.m * product.n));
  });
}

// One product over all rows of x, whatever its outer axes; bias and residual may be null.
Tensor rows_times_matrix(const Tensor& x, const Tensor& w, const Scalar* bias,
                         const Scalar* residual) {
  const Shape shape = x.shape().with_size(-1, w.size(1));
  const Index row_count = x.shape().without_axis(-1).element_count();
  const Tensor rows = x.rank() == 2 ? x : reshape(x, {row_count, x.size(-1)});
  return Tensor::filled(shape, [&](Scalar* c) {
    Gemm product = product_of(rows, w, c);
    product.bias = bias;
    product.residual = residual;
    product.residual_row_stride = w.size(1);
    gemm(product);
  });
}

void check_linear(const Tensor& x, const Tensor& w, const Tensor& bias) {
  if (w.rank() != 2) {
    throw ShapeError({"linear: w is ", w.shape(), "; it must be [in, out]"});
  }
  if (x.rank() < 1 || x.size(-1) != w.size(0)) {
    throw ShapeError({"linear: x is ", x.shape(), ", w is ", w.shape(),
                      "; the last size of x must equal the first of w (", w.size(0), ")"});
  }
  if (bias.shape() != Shape{w.size(1)}) {
    throw ShapeError({"linear: bias is ", bias.shape(), ", w is ", w.shape(),
                      "; the bias must be [", w.size(1), "]"});
  }
}

}  // namespace

void check_matmul(const Shape& a, const Shape& b, const char* function) {
  if (a.rank() < 2 || b.rank() < 2) {
    throw ShapeError({function, ": a is ", a, ", b is ", b, "; both need at least 2 axes"});
  }
  if (a[-1] != b[-2]) {
    throw ShapeError({function, ": inner sizes differ: a is ", a, ", b is ", b,
                      "; the last size of a (", a[-1], ") must equal the second to last of b (",
                      b[-2], ")"});
  }
  for (Index axis = -3; axis >= -std::min(a.rank(), b.rank()); --axis) {
    if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) {
      throw ShapeError({function, ": outer sizes differ: a is ", a, ", b is ", b, "; axis ", axis,
                        " has sizes ", a[axis], " and ", b[axis],
                        ", which must be equal or one of them 1"});
    }
  }
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  check_matmul(a.shape(), b.shape(), "matmul");
  const bool one_product = b.rank() == 2 && (a.rank() == 2 || a.is_contiguous());
  return one_product ? rows_times_matrix(a, b, nullptr, nullptr) : batched_matmul(a, b);
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias) {
  check_linear(x, w, bias);
  const Tensor row = contiguous(bias);
  return rows_times_matrix(x, w, row.data(), nullptr);
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& residual) {
  check_linear(x, w, bias);
  if (residual.shape() != x.shape().with_size(-1, w.size(1))) {
    throw ShapeError({"linear: the residual is ", residual.shape(), ", the result is ",
                      x.shape().with_size(-1, w.size(1)), "; they must be equal"});
  }
  const Tensor row = contiguous(bias);
  const Tensor rest = contiguous(residual);
  return rows_times_matrix(x, w, row.data(), rest.data());
}

}  // namespace vitro
