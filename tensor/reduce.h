// Sums, means and maxima over axes. All throw ShapeError for an axis that is not there or is named
// twice.
#pragma once

#include <vector>

#include "tensor/indices.h"
#include "tensor/tensor.h"

namespace vitro {

/// Whether a reduced axis stays, with size 1, or goes.
enum class KeepAxes { kNo, kYes };

/// Over `axes` (negative from the end; an empty list means all of them). Sums run in one order
/// that depends on the shape alone. A sum of nothing is 0, a mean of nothing NaN.
Tensor sum(const Tensor& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);
Tensor mean(const Tensor& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);

/// Mean of the squared distances to the mean (divided by N), in two passes.
Tensor var(const Tensor& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);

/// The largest element; NaN where one is NaN. Throws ShapeError over an axis of size 0.
Tensor max(const Tensor& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);

/// The gradient of max's x: each entry of `grad` (axes kept or not) goes to the first of the
/// largest elements, the others get 0.
Tensor max_backward(const Tensor& x, const std::vector<Index>& axes, const Tensor& grad);

/// Where along `axis` the largest element is; the first of equals, the first NaN where there is
/// one. The axis goes. Throws ShapeError where its size is 0.
Indices argmax(const Tensor& x, Index axis);

/// x summed over the axes that were stretched, so that it has shape `shape` again: the gradient
/// of broadcast_to. Throws ShapeError where `shape` does not stretch to x's.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace vitro
