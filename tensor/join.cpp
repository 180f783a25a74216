#include "tensor/join.h"

#include "tensor/strided.h"
#include "tensor/views.h"

namespace vitro {

Tensor cat(const std::vector<Tensor>& parts, Index axis) {
  if (parts.empty()) throw ShapeError({"cat: no parts; give at least one tensor"});
  const Shape& first = parts.front().shape();
  const Index from_front = first.resolve_axis(axis, "cat");
  Index length = 0;
  for (const Tensor& part : parts) {
    if (part.rank() != first.rank() ||
        part.shape().with_size(from_front, 0) != first.with_size(from_front, 0)) {
      throw ShapeError({"cat: parts of shapes ", first, " and ", part.shape(), " along axis ", axis,
                        "; all other sizes must be equal"});
    }
    length += part.size(from_front);
  }
  const Shape shape = first.with_size(from_front, length);
  const Strides strides = row_major_strides(shape);
  return Tensor::filled(shape, [&](Scalar* out) {
    for (const Tensor& part : parts) {
      copy_into(part, out, strides);
      out += part.size(from_front) * strides[static_cast<std::size_t>(from_front)];
    }
  });
}

Tensor stack(const std::vector<Tensor>& parts, Index axis) {
  if (parts.empty()) throw ShapeError({"stack: no parts; give at least one tensor"});
  parts.front().shape().resolve_new_axis(axis, "stack");  // so that a wrong axis is stack's error
  std::vector<Tensor> slices;
  for (const Tensor& part : parts) {
    if (part.shape() != parts.front().shape()) {
      throw ShapeError({"stack: parts of shapes ", parts.front().shape(), " and ", part.shape(),
                        "; they must be equal"});
    }
    slices.push_back(unsqueeze(part, axis));
  }
  return cat(slices, axis);
}

}  // namespace vitro
