// Row kernels of the operations on pairs of elements: see RowKernel in tensor/strided.h.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

// out = a + b, a - b, a * b, a / b
void add_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
             Index out_step, Index count);
void subtract_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                  Index out_step, Index count);
void multiply_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                  Index out_step, Index count);
void divide_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                Index out_step, Index count);

// out = the larger, the smaller of a and b; NaN where either is NaN
void maximum_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                 Index out_step, Index count);
void minimum_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                 Index out_step, Index count);

// out = 1 where a > b, a >= b, a == b holds, else 0
void greater_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                 Index out_step, Index count);
void greater_equal_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                       Index out_step, Index count);
void equal_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
               Index out_step, Index count);

// out = a ^ b
void power_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
               Index out_step, Index count);

// out = a; out = out + a; out = b where a is not 0, else unchanged (b unused in the first two)
void copy_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
              Index out_step, Index count);
void accumulate_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                    Index out_step, Index count);
void select_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                Index out_step, Index count);

}  // namespace vitro::kernels
