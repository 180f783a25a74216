// Softmax and log-softmax of each row of a contiguous [rows, columns] matrix, on the calling
// thread.
//
// Each row is shifted by its maximum, so exp never overflows. An element of -inf (masked) gets a
// weight of exactly 0; a row of only -inf gives zeros, and zero gradients. A row with NaN or +inf
// gives a row of NaN, and other rows never notice. Input and output must not overlap.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// y = e^x / Σ e^x.
void softmax_rows(const Scalar* x, Scalar* y, Index rows, Index columns);
/// grad_x = y (grad - Σ y grad).
void softmax_rows_backward(const Scalar* y, const Scalar* grad, Scalar* grad_x, Index rows,
                           Index columns);

/// y = x - log Σ e^x. Masked elements and rows give -inf.
void log_softmax_rows(const Scalar* x, Scalar* y, Index rows, Index columns);
/// grad_x = grad - e^y Σ grad; 0 for a row of only -inf.
void log_softmax_rows_backward(const Scalar* y, const Scalar* grad, Scalar* grad_x, Index rows,
                               Index columns);

}  // namespace vitro::kernels
