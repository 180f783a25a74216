#include "tensor/views.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace vitro {
namespace {

std::size_t at(Index axis) { return static_cast<std::size_t>(axis); }

// Strides under which x's numbers read in row-major order have the new shape, where such exist.
// x's axes are matched with the new ones in groups of equal products; inside a group x must step
// evenly, as if it were one axis.
std::optional<Strides> strides_without_copy(const Tensor& x, const Shape& shape) {
  if (x.element_count() == 0 || x.is_contiguous()) return row_major_strides(shape);
  Strides strides{};
  Index old_axis = x.rank() - 1;
  Index new_axis = shape.rank() - 1;
  while (old_axis >= 0) {
    const Index step = x.strides()[at(old_axis)];
    Index old_product = x.size(old_axis);
    while (old_axis > 0 &&
           (x.size(old_axis - 1) == 1 || x.strides()[at(old_axis - 1)] == step * old_product)) {
      --old_axis;
      old_product *= x.size(old_axis);
    }
    Index new_product = 1;
    while (new_axis >= 0 && (new_product < old_product || shape[new_axis] == 1)) {
      strides[at(new_axis)] = step * new_product;
      new_product *= shape[new_axis];
      --new_axis;
    }
    if (new_product != old_product) return std::nullopt;
    --old_axis;
  }
  return strides;
}

}  // namespace

Tensor transpose(const Tensor& x, Index axis_a, Index axis_b) {
  const Index a = x.shape().resolve_axis(axis_a, "transpose");
  const Index b = x.shape().resolve_axis(axis_b, "transpose");
  std::vector<Index> sizes(x.shape().begin(), x.shape().end());
  Strides strides = x.strides();
  std::swap(sizes[at(a)], sizes[at(b)]);
  std::swap(strides[at(a)], strides[at(b)]);
  return x.make_view(Shape(sizes), strides, 0);
}

Tensor permute(const Tensor& x, const std::vector<Index>& axes) {
  std::vector<Index> sizes;
  Strides strides{};
  std::vector<bool> seen(at(x.rank()), false);
  for (const Index axis : axes) {
    const Index from_front = x.shape().resolve_axis(axis, "permute");
    if (seen[at(from_front)]) {
      throw ShapeError(
          {"permute: axis ", axis, " of ", x.shape(), " is named twice; name every axis once"});
    }
    seen[at(from_front)] = true;
    strides[sizes.size()] = x.strides()[at(from_front)];
    sizes.push_back(x.size(from_front));
  }
  if (static_cast<Index>(axes.size()) != x.rank()) {
    throw ShapeError({"permute: ", axes.size(), " axes for shape ", x.shape(), "; name all ",
                      x.rank(), " of them"});
  }
  return x.make_view(Shape(sizes), strides, 0);
}

Tensor narrow(const Tensor& x, Index axis, Index start, Index length) {
  const Index from_front = x.shape().resolve_axis(axis, "narrow");
  check_entries(x.shape(), axis, start, length, "narrow");
  const Shape shape = x.shape().with_size(from_front, length);
  const bool empty = shape.element_count() == 0;  // then no place inside the storage is meant
  return x.make_view(shape, x.strides(), empty ? 0 : start * x.strides()[at(from_front)]);
}

Tensor reshape(const Tensor& x, const std::vector<Index>& sizes) {
  const Shape shape = reshaped_shape(x.shape(), sizes, "reshape");
  const std::optional<Strides> strides = strides_without_copy(x, shape);
  if (strides) return x.make_view(shape, *strides, 0);
  return contiguous(x).make_view(shape, row_major_strides(shape), 0);
}

Tensor view(const Tensor& x, const std::vector<Index>& sizes) {
  const Shape shape = reshaped_shape(x.shape(), sizes, "view");
  if (!x.is_contiguous()) {
    throw ShapeError({"view: a tensor of shape ", x.shape(),
                      " is not contiguous, so it cannot be seen as ", shape,
                      " without a copy; use reshape(x, …) or contiguous(x)"});
  }
  return x.make_view(shape, row_major_strides(shape), 0);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  if (!broadcasts_to(x.shape(), shape)) {
    throw ShapeError({"broadcast_to: ", x.shape(), " does not stretch to ", shape,
                      "; matched from the last axis, sizes must be equal or 1"});
  }
  Strides strides{};
  for (Index from_end = 1; from_end <= x.rank(); ++from_end) {
    const bool repeats = x.size(-from_end) == 1;
    strides[at(shape.rank() - from_end)] = repeats ? 0 : x.strides()[at(x.rank() - from_end)];
  }
  return x.make_view(shape, strides, 0);
}

Tensor unsqueeze(const Tensor& x, Index axis) {
  const Index place = x.shape().resolve_new_axis(axis, "unsqueeze");
  Strides strides = x.strides();
  const Shape shape = x.shape().with_axis_inserted(place, 1);
  std::copy_backward(strides.begin() + place, strides.end() - 1, strides.end());
  strides[at(place)] = 0;
  return x.make_view(shape, strides, 0);
}

Tensor squeeze(const Tensor& x, Index axis) {
  const Index from_front = x.shape().resolve_axis(axis, "squeeze");
  if (x.size(from_front) != 1) {
    throw ShapeError({"squeeze: axis ", axis, " of ", x.shape(), " has size ", x.size(from_front),
                      "; only an axis of size 1 can be taken out"});
  }
  Strides strides = x.strides();
  std::copy(strides.begin() + from_front + 1, strides.end(), strides.begin() + from_front);
  strides[at(kMaxRank - 1)] = 0;
  return x.make_view(x.shape().without_axis(from_front), strides, 0);
}

}  // namespace vitro
