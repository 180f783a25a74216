// Layer normalization (Ba, Kiros, Hinton 2016) and RMS normalization (Zhang, Sennrich 2019) of
// each row of a contiguous [rows, columns] matrix, on the calling thread.
//
// `gain` and `bias` are [columns]. Forward keeps one number or two per row for the way back.
// Backward also sums the gradients of gain and bias over the rows that it is given: call it once
// per chunk of rows (row_chunk in reduce.h), each with its own [columns] sums, and add those with
// combine_row_chunks; the bits then do not depend on the threads. Inputs and outputs must not
// overlap.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// y = x̂ · gain + bias with x̂ = (x - mean) · inverse_stddev, inverse_stddev =
/// 1 / √(variance + epsilon). The variance is the mean of (x - mean)², a second pass over the row:
/// no cancellation at large means. `mean` and `inverse_stddev` are [rows].
void layer_norm_rows(const Scalar* x, const Scalar* gain, const Scalar* bias, Scalar epsilon,
                     Scalar* y, Scalar* mean, Scalar* inverse_stddev, Index rows, Index columns);

/// With g = grad · gain: grad_x = inverse_stddev (g - mean(g) - x̂ mean(g x̂)).
/// grad_gain = Σ grad x̂ and grad_bias = Σ grad over these rows.
void layer_norm_rows_backward(const Scalar* x, const Scalar* gain, const Scalar* mean,
                              const Scalar* inverse_stddev, const Scalar* grad, Scalar* grad_x,
                              Scalar* grad_gain, Scalar* grad_bias, Index rows, Index columns);

/// y = x̂ · gain with x̂ = x · inverse_rms, inverse_rms = 1 / √(mean(x²) + epsilon), [rows].
void rms_norm_rows(const Scalar* x, const Scalar* gain, Scalar epsilon, Scalar* y,
                   Scalar* inverse_rms, Index rows, Index columns);

/// With g = grad · gain: grad_x = inverse_rms (g - x̂ mean(g x̂)).
/// grad_gain = Σ grad x̂ over these rows.
void rms_norm_rows_backward(const Scalar* x, const Scalar* gain, const Scalar* inverse_rms,
                            const Scalar* grad, Scalar* grad_x, Scalar* grad_gain, Index rows,
                            Index columns);

}  // namespace vitro::kernels
