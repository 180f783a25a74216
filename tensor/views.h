// Views: the same numbers seen with other sizes and strides. None of them copies a number, except
// reshape where no strides exist for the new shape. All throw ShapeError for an axis that is not
// there and for sizes that do not fit.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace vitro {

/// Swaps two axes: [.., m, .., n, ..] → [.., n, .., m, ..].
Tensor transpose(const Tensor& x, Index axis_a, Index axis_b);

/// Axis i of the result is axis `axes[i]` of x; every axis is named exactly once.
Tensor permute(const Tensor& x, const std::vector<Index>& axes);

/// Entries start … start + length - 1 of one axis: [.., n, ..] → [.., length, ..]. Throws
/// std::out_of_range where the axis does not have them.
Tensor narrow(const Tensor& x, Index axis, Index start, Index length);

/// The same numbers in row-major order under another shape; one size may be -1 (it follows from
/// the others). A view where strides allow it, else a copy.
Tensor reshape(const Tensor& x, const std::vector<Index>& sizes);

/// reshape that never copies: throws ShapeError where x does not lie in row-major order.
Tensor view(const Tensor& x, const std::vector<Index>& sizes);

/// Repeats size-1 axes, and new axes in front, without copying.
Tensor broadcast_to(const Tensor& x, const Shape& shape);

/// Adds an axis of size 1 before `axis` (-1: after the last), or takes out the size-1 axis `axis`.
Tensor unsqueeze(const Tensor& x, Index axis);
Tensor squeeze(const Tensor& x, Index axis);

}  // namespace vitro
