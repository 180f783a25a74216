#include "tensor/shape.h"

#include <algorithm>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

constexpr Index kMaxElements = Index{1} << 56;

// Whether `size` times the sizes from begin to end stays within the limit; a 0 counts as 1.
bool product_fits(const Index* begin, const Index* end, Index size) {
  Index product = std::max<Index>(size, 1);
  if (product > kMaxElements) return false;
  for (const Index* other = begin; other != end; ++other) {
    const bool overflows = __builtin_mul_overflow(product, std::max<Index>(*other, 1), &product);
    if (overflows || product > kMaxElements) return false;
  }
  return true;
}

std::string list_text(const Index* begin, const Index* end) {
  std::string text = "[";
  for (const Index* size = begin; size != end; ++size) {
    if (size != begin) text += ", ";
    text += TextPiece(*size).text();
  }
  return text + "]";
}

}  // namespace

Shape::Shape(std::initializer_list<Index> sizes) {
  for (const Index size : sizes) append(size);
}

Shape::Shape(std::span<const Index> sizes) {
  for (const Index size : sizes) append(size);
}

void Shape::append(Index size) {
  if (rank_ == kMaxRank) {
    throw ShapeError(
        {"Shape: more than ", kMaxRank, " axes after ", *this, "; a shape has at most ", kMaxRank});
  }
  if (size < 0) {
    throw ShapeError(
        {"Shape: size ", size, " for axis ", rank_, " after ", *this, "; a size is 0 or more"});
  }
  if (!product_fits(begin(), end(), size)) {
    throw ShapeError(
        {"Shape: too many elements: ", *this, " times ", size, "; a tensor holds at most 2^56"});
  }
  sizes_[static_cast<std::size_t>(rank_)] = size;
  ++rank_;
  element_count_ *= size;
}

void Shape::throw_no_axis(Index axis, const char* function) const {
  if (rank_ == 0) {
    throw ShapeError({function, ": axis ", axis, " of shape []; a rank-0 tensor has no axes"});
  }
  throw ShapeError({function, ": axis ", axis, " is not an axis of ", *this, "; it must be from ",
                    -rank_, " to ", rank_ - 1});
}

Index Shape::resolve_new_axis(Index axis, const char* function) const {
  if (axis < -rank_ - 1 || axis > rank_) {
    throw ShapeError({function, ": no place ", axis, " for a new axis of ", *this,
                      "; it must be from ", -rank_ - 1, " to ", rank_});
  }
  return axis < 0 ? axis + rank_ + 1 : axis;
}

Shape Shape::with_size(Index axis, Index size) const {
  const Index replaced = resolve_axis(axis, "Shape");
  Shape result;
  for (Index i = 0; i < rank_; ++i) result.append(i == replaced ? size : (*this)[i]);
  return result;
}

Shape Shape::without_axis(Index axis) const {
  const Index removed = resolve_axis(axis, "Shape");
  Shape result;
  for (Index i = 0; i < rank_; ++i) {
    if (i != removed) result.append((*this)[i]);
  }
  return result;
}

Shape Shape::with_axis_inserted(Index axis, Index size) const {
  if (axis < 0 || axis > rank_) {
    throw ShapeError(
        {"Shape: no place ", axis, " for a new axis of ", *this, "; it must be from 0 to ", rank_});
  }
  Shape result;
  for (Index i = 0; i < axis; ++i) result.append((*this)[i]);
  result.append(size);
  for (Index i = axis; i < rank_; ++i) result.append((*this)[i]);
  return result;
}

std::string Shape::to_string() const { return list_text(begin(), end()); }

Strides row_major_strides(const Shape& shape) {
  Strides strides{};
  Index stride = 1;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= std::max<Index>(shape[axis], 1);
  }
  return strides;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* function) {
  const Index rank = std::max(a.rank(), b.rank());
  std::array<Index, kMaxRank> sizes{};
  for (Index from_end = 1; from_end <= rank; ++from_end) {
    const Index size_a = from_end <= a.rank() ? a[-from_end] : 1;
    const Index size_b = from_end <= b.rank() ? b[-from_end] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) {
      throw ShapeError({function, ": shapes do not broadcast: a is ", a, ", b is ", b, "; axis ",
                        -from_end, " has sizes ", size_a, " and ", size_b,
                        ", which must be equal or one of them 1"});
    }
    sizes[static_cast<std::size_t>(rank - from_end)] = size_a == 1 ? size_b : size_a;
  }
  return Shape(std::span(sizes).first(static_cast<std::size_t>(rank)));
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (Index from_end = 1; from_end <= from.rank(); ++from_end) {
    if (from[-from_end] != to[-from_end] && from[-from_end] != 1) return false;
  }
  return true;
}

Shape reshaped_shape(const Shape& from, const std::vector<Index>& sizes, const char* function) {
  std::vector<Index> resolved = sizes;
  const auto open = std::find(resolved.begin(), resolved.end(), Index{-1});
  if (open != resolved.end()) {
    if (std::count(resolved.begin(), resolved.end(), Index{-1}) > 1) {
      throw ShapeError({function, ": more than one size of -1 for the ", from.element_count(),
                        " elements of ", from, "; only one can follow from the others"});
    }
    *open = 1;
    const Index known = Shape(resolved).element_count();
    if (known == 0 || from.element_count() % known != 0) {
      throw ShapeError({function, ": a size of -1 cannot be found for the ", from.element_count(),
                        " elements of ", from, "; the other sizes multiply to ", known,
                        ", which must divide them"});
    }
    *open = from.element_count() / known;
  }
  const Shape shape(resolved);
  if (shape.element_count() != from.element_count()) {
    throw ShapeError({function, ": ", from, " has ", from.element_count(), " elements, ", shape,
                      " has ", shape.element_count(), "; they must be equal"});
  }
  return shape;
}

void check_grad_shape(const Shape& grad, const Shape& output, const char* function) {
  if (grad != output) {
    throw ShapeError(
        {function, ": the gradient is ", grad, ", the output is ", output, "; they must be equal"});
  }
}

void check_entries(const Shape& shape, Index axis, Index start, Index length,
                   const char* function) {
  const Index size = shape[axis];
  if (start < 0 || length < 0 || length > size - start) {
    throw_out_of_range({function, ": ", length, " entries from ", start, " of axis ", axis, " of ",
                        shape, "; the axis has ", size});
  }
}

bool element_count_fits(const std::vector<Index>& sizes) {
  return product_fits(sizes.data(), sizes.data() + sizes.size(), 1);
}

std::vector<Index> inverse_order(const std::vector<Index>& order) {
  std::vector<Index> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }
  return inverse;
}

std::vector<Index> resolve_axes(const Shape& shape, const std::vector<Index>& axes,
                                const char* function) {
  std::vector<Index> resolved;
  if (axes.empty()) {
    for (Index axis = 0; axis < shape.rank(); ++axis) resolved.push_back(axis);
    return resolved;
  }
  for (const Index axis : axes) {
    const Index from_front = shape.resolve_axis(axis, function);
    if (std::find(resolved.begin(), resolved.end(), from_front) != resolved.end()) {
      throw ShapeError({function, ": axis ", axis, " of ", shape, " is named twice; name it once"});
    }
    resolved.push_back(from_front);
  }
  std::sort(resolved.begin(), resolved.end());
  return resolved;
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
