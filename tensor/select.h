// Picking entries by ids. All throw ShapeError where shapes do not fit, std::out_of_range for an id
// that is none.
#pragma once

#include "tensor/indices.h"
#include "tensor/tensor.h"

namespace vitro {

/// Rows of table [count, width] by id: ids [..] → [.., width].
Tensor embedding(const Tensor& table, const Indices& ids);

/// The gradient of embedding's table: the rows of grad [.., width] added up by id → [count, width].
Tensor embedding_backward(const Tensor& grad, const Indices& ids, Index count);

/// The entries that ids picks along `axis`: for axis 0 of a matrix y[i, j] = x[ids[i, j], j]. ids
/// has x's rank, and at most x's size on every other axis.
Tensor gather(const Tensor& x, Index axis, const Indices& ids);

/// The gradient of gather: zeros of `shape` with each entry of `grad` added where ids points.
Tensor scatter_sum(const Tensor& grad, Index axis, const Indices& ids, const Shape& shape);

/// ids [..] → [.., count]: 1 at each id, else 0.
Tensor one_hot(const Indices& ids, Index count);

}  // namespace vitro
