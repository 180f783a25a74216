// The one loop that knows strides: every operation on pairs of elements and every copy runs
// through it.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// A loop over one row: out[i * out_step] = f(a[i * a_step], b[i * b_step]) for i below count.
using RowKernel = void (*)(const Scalar* a, Index a_step, const Scalar* b, Index b_step,
                           Scalar* out, Index out_step, Index count);

/// Runs `kernel` over all elements, row by row, spread over the threads. a and b have the shape of
/// the loop (see broadcast_to); `out` has it too, under `out_strides`.
void run_rows(const Tensor& a, const Tensor& b, Scalar* out, const Strides& out_strides,
              RowKernel kernel);

/// f of each pair of elements of a and b, which are stretched to one shape first. `function`
/// opens the error where they do not stretch.
Tensor zip(const Tensor& a, const Tensor& b, const char* function, RowKernel kernel);

/// x in row-major order.
void copy_strided(const Tensor& x, Scalar* out);

/// Writes x over, or adds it to, numbers that lie by `out_strides`.
void copy_into(const Tensor& x, Scalar* out, const Strides& out_strides);
void add_into(const Tensor& x, Scalar* out, const Strides& out_strides);

}  // namespace vitro
