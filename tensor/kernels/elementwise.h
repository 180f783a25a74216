// Elementwise kernels: y[i] = f(x[i]) over contiguous memory, on the calling thread.
//
// Each result has the bits of the scalar function of tensor/math.h, whatever the position in the
// array, so work may be split anywhere. Input and output must not overlap. `_backward` turns the
// gradient of y into that of x.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

void exp_array(const Scalar* x, Scalar* y, Index count);

void log_array(const Scalar* x, Scalar* y, Index count);

void sqrt_array(const Scalar* x, Scalar* y, Index count);

/// |x|.
void abs_array(const Scalar* x, Scalar* y, Index count);

void tanh_array(const Scalar* x, Scalar* y, Index count);

void sigmoid_array(const Scalar* x, Scalar* y, Index count);

/// max(x, 0); NaN stays NaN.
void relu_array(const Scalar* x, Scalar* y, Index count);

/// GELU in the tanh form of Hendrycks and Gimpel (2016), as in GPT-2:
/// ½x (1 + tanh(u)) with u = √(2/π) (x + 0.044715 x³), computed as x · sigmoid(2u).
void gelu_tanh_array(const Scalar* x, Scalar* y, Index count);
/// With s = sigmoid(2u): grad_x = grad · (s + x s (1 - s) · 2 du/dx).
void gelu_tanh_array_backward(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count);

/// GELU, exactly: x Φ(x) = ½x (1 + erf(x / √2)).
void gelu_erf_array(const Scalar* x, Scalar* y, Index count);
/// grad_x = grad · (Φ(x) + x φ(x)), with φ(x) = e^(-x²/2) / √(2π).
void gelu_erf_array_backward(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count);

/// SiLU or swish: x · sigmoid(x).
void silu_array(const Scalar* x, Scalar* y, Index count);
/// With s = sigmoid(x): grad_x = grad · (s + x s (1 - s)).
void silu_array_backward(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count);

}  // namespace vitro::kernels
