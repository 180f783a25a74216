// Operations on each element alone; the results have x's shape.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// A loop over contiguous numbers: y[i] = f(x[i]) for i below count.
using ArrayKernel = void (*)(const Scalar* x, Scalar* y, Index count);

/// f of each element, spread over the threads.
Tensor map(const Tensor& x, ArrayKernel kernel);

Tensor exp(const Tensor& x);      ///< e^x
Tensor log(const Tensor& x);      ///< natural logarithm; -inf at 0, NaN below
Tensor sqrt(const Tensor& x);     ///< NaN below 0
Tensor abs(const Tensor& x);      ///< |x|
Tensor tanh(const Tensor& x);     ///< (e^x - e^-x) / (e^x + e^-x)
Tensor sigmoid(const Tensor& x);  ///< 1 / (1 + e^-x)
Tensor relu(const Tensor& x);     ///< max(x, 0)
Tensor silu(const Tensor& x);     ///< x · sigmoid(x)

/// Which curve gelu follows: x·Φ(x) itself, or GPT-2's approximation of it by tanh.
enum class Gelu { kTanh, kErf };

/// kTanh: x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³))); kErf: x/2 · (1 + erf(x/√2)).
Tensor gelu(const Tensor& x, Gelu kind = Gelu::kTanh);

/// The gradient of silu's x: grad · d silu(x)/dx. Throws ShapeError where the shapes differ.
Tensor silu_backward(const Tensor& x, const Tensor& grad);

/// The gradient of gelu's x: grad · d gelu(x)/dx. Throws ShapeError where the shapes differ.
Tensor gelu_backward(const Tensor& x, const Tensor& grad, Gelu kind);

}  // namespace vitro
