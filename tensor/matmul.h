// Matrix products.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// a [.., m, k] · b [.., k, n] → [.., m, n]. The axes before the last two stretch to each other.
/// Transposed and broadcast views are read where they lie. Throws ShapeError where an operand has
/// fewer than 2 axes, the inner sizes differ, or the outer axes do not stretch.
Tensor matmul(const Tensor& a, const Tensor& b);

/// x [.., in] · w [in, out] + bias [out] → [.., out]: equal to matmul and +, in one pass.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias);

/// The same + residual [.., out], such as the input of a residual block.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& residual);

/// Throws ShapeError, opened by `function`, unless matmul(a, b) exists.
void check_matmul(const Shape& a, const Shape& b, const char* function);

}  // namespace vitro
