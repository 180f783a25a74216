#include "tensor/select.h"

#include <algorithm>

#include "tensor/create.h"
#include "tensor/parallel.h"

namespace vitro {
namespace {

constexpr Index kGrain = 8192;  // elements

void check_gather(const Shape& x, Index from_front, const Indices& ids, const char* function) {
  bool fits = ids.rank() == x.rank();
  for (Index axis = 0; fits && axis < x.rank(); ++axis) {
    fits = axis == from_front || ids.size(axis) <= x[axis];
  }
  if (!fits) {
    throw ShapeError({function, ": ids of shape ", ids.shape(), " for axis ", from_front, " of ", x,
                      "; ids needs the same rank and no larger size on any other axis"});
  }
  check_ids(ids, x[from_front], function, "id");
}

// Calls visit(i, offset) for the i-th id, with the place in a tensor with `strides` that it means.
template <typename Visit>
void for_each_picked(const Indices& ids, Index axis, const Strides& strides, const Visit& visit) {
  for (Index i = 0; i < ids.element_count(); ++i) {
    Index rest = i;
    Index offset = 0;
    for (Index a = ids.rank() - 1; a >= 0; --a) {
      const Index entry =
          a == axis ? ids.values()[static_cast<std::size_t>(i)] : rest % ids.size(a);
      offset += entry * strides[static_cast<std::size_t>(a)];
      rest /= ids.size(a);
    }
    visit(i, offset);
  }
}

}  // namespace

Tensor embedding(const Tensor& table, const Indices& ids) {
  if (table.rank() != 2) {
    throw ShapeError({"embedding: table is ", table.shape(), "; it must be [count, width]"});
  }
  check_ids(ids, table.size(0), "embedding", "id");
  const Index width = table.size(1);
  const Tensor rows = contiguous(table);
  return Tensor::filled(ids.shape().with_axis_inserted(ids.rank(), width), [&](Scalar* out) {
    const Scalar* source = rows.data();
    parallel_for(0, ids.element_count(), grain_for(kGrain, width), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Index id = ids.values()[static_cast<std::size_t>(i)];
        std::copy_n(source + id * width, width, out + i * width);
      }
    });
  });
}

// One thread in the order of the ids: repeated ids add up in one order.
Tensor embedding_backward(const Tensor& grad, const Indices& ids, Index count) {
  if (grad.rank() < 1 || grad.shape().without_axis(-1) != ids.shape()) {
    throw ShapeError({"embedding_backward: the gradient is ", grad.shape(), ", ids are ",
                      ids.shape(), "; the gradient must be [ids.., width]"});
  }
  check_ids(ids, count, "embedding_backward", "id");
  const Index width = grad.size(-1);
  const Tensor rows = contiguous(grad);
  Tensor table = zeros({count, width});
  if (table.element_count() == 0) return table;
  Scalar* sums = table.mutable_data();
  const Scalar* row = rows.data();
  for (const Index id : ids.values()) {
    Scalar* sum = sums + id * width;
    for (Index j = 0; j < width; ++j) sum[j] += row[j];
    row += width;
  }
  return table;
}

Tensor gather(const Tensor& x, Index axis, const Indices& ids) {
  const Index from_front = x.shape().resolve_axis(axis, "gather");
  check_gather(x.shape(), from_front, ids, "gather");
  return Tensor::filled(ids.shape(), [&](Scalar* out) {
    const Scalar* source = x.strided_data();
    for_each_picked(ids, from_front, x.strides(),
                    [out, source](Index i, Index offset) { out[i] = source[offset]; });
  });
}

Tensor scatter_sum(const Tensor& grad, Index axis, const Indices& ids, const Shape& shape) {
  const Index from_front = shape.resolve_axis(axis, "scatter_sum");
  check_gather(shape, from_front, ids, "scatter_sum");
  check_grad_shape(grad.shape(), ids.shape(), "scatter_sum");
  const Tensor values = contiguous(grad);
  Tensor sums = zeros(shape);
  if (ids.element_count() == 0) return sums;
  Scalar* out = sums.mutable_data();
  const Scalar* source = values.data();
  for_each_picked(ids, from_front, sums.strides(),
                  [out, source](Index i, Index offset) { out[offset] += source[i]; });
  return sums;
}

Tensor one_hot(const Indices& ids, Index count) {
  check_ids(ids, count, "one_hot", "id");
  return Tensor::filled(ids.shape().with_axis_inserted(ids.rank(), count), [&](Scalar* out) {
    std::fill_n(out, ids.element_count() * count, Scalar(0));
    for (Index i = 0; i < ids.element_count(); ++i) {
      out[i * count + ids.values()[static_cast<std::size_t>(i)]] = 1;
    }
  });
}

}  // namespace vitro
