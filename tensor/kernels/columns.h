// Sums down the columns of a matrix: gradients of biases and gains, sums over leading axes.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// The widest block of columns that sum_columns takes.
inline constexpr Index kColumnBlock = 64;

/// out[j] = sum over the rows of x[row * row_stride + j], for j below `columns` (<= kColumnBlock).
/// Order: the rows are cut into 16 runs, each summed downwards, and the runs' sums are added in
/// order. Short chains keep rounding small, and the order depends on `rows` alone.
void sum_columns(const Scalar* x, Index rows, Index row_stride, Index columns, Scalar* out);

}  // namespace vitro::kernels
