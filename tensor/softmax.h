// Softmax along one axis. The results have x's shape. All throw ShapeError for an axis that is not
// there.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// y_i = e^(x_i - max) / Σ e^(x_j - max). A masked entry (-inf) gets exactly 0, a row of only -inf
/// zeros; a row with NaN or +inf becomes NaN.
Tensor softmax(const Tensor& x, Index axis);

/// The logarithm of softmax, computed without overflow: x_i - max - log Σ e^(x_j - max).
Tensor log_softmax(const Tensor& x, Index axis);

/// The gradients of x, from the results y: y · (G - Σ G·y), and G - e^y · Σ G. Throw ShapeError
/// where `grad` (G) has another shape than y.
Tensor softmax_backward(const Tensor& y, const Tensor& grad, Index axis);
Tensor log_softmax_backward(const Tensor& y, const Tensor& grad, Index axis);

}  // namespace vitro
