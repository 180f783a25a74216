#include "tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "tensor/strided.h"
#include "tensor/views.h"

namespace vitro {
namespace {

std::atomic<Index> detaching_copies{0};

void check_value_count(const Shape& shape, std::size_t count) {
  if (static_cast<Index>(count) != shape.element_count()) {
    throw ShapeError(
        {"Tensor: ", count, " values for shape ", shape, "; it takes ", shape.element_count()});
  }
}

}  // namespace

inline namespace VITRO_SCALAR_NAMESPACE {

Tensor::Tensor() : shape_({0}), strides_{1} {}

Tensor::Tensor(Tensor&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      shape_(std::exchange(other.shape_, Shape{0})),
      strides_(std::exchange(other.strides_, Strides{1})),
      storage_(std::move(other.storage_)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  data_ = std::exchange(other.data_, nullptr);
  shape_ = std::exchange(other.shape_, Shape{0});
  strides_ = std::exchange(other.strides_, Strides{1});
  storage_ = std::move(other.storage_);
  return *this;
}

Tensor::Tensor(const Shape& shape, std::initializer_list<Scalar> values) {
  check_value_count(shape, values.size());
  *this = uninitialized(shape);
  std::copy(values.begin(), values.end(), data_);
}

Tensor::Tensor(const Shape& shape, const std::vector<Scalar>& values) {
  check_value_count(shape, values.size());
  *this = uninitialized(shape);
  std::copy(values.begin(), values.end(), data_);
}

Tensor::Tensor(const Shape& shape, Storage storage)
    : data_(storage.data()),
      shape_(shape),
      strides_(row_major_strides(shape)),
      storage_(std::move(storage)) {}

Tensor Tensor::uninitialized(const Shape& shape) { return {shape, Storage(shape.element_count())}; }

// By division, so that no stride can overflow.
void Tensor::check_inside(const Shape& shape, const Strides& strides, Index offset) const {
  if (shape.element_count() == 0) return;
  Index before = data_ == nullptr ? 0 : data_ - storage_.data();  // elements up to the first
  Index after = storage_.capacity() - before - 1;                 // and from it to the last
  bool inside = offset >= -before && offset <= after;
  if (inside) {
    before += offset;
    after -= offset;
  }
  for (Index axis = 0; axis < shape.rank() && inside; ++axis) {
    const Index steps = shape[axis] - 1;
    const Index stride = strides[static_cast<std::size_t>(axis)];
    if (steps == 0 || stride == 0) continue;
    Index& room = stride > 0 ? after : before;
    inside = stride > 0 ? stride <= room / steps : stride >= -(room / steps);
    if (inside) room -= steps * (stride > 0 ? stride : -stride);
  }
  if (inside) return;
  throw_out_of_range({"make_view: shape ", shape, " at offset ", offset, " of a tensor of shape ",
                      shape_, " leaves its memory of ", storage_.capacity(),
                      " numbers; every element must lie inside"});
}

Tensor Tensor::make_view(const Shape& shape, const Strides& strides, Index offset) const {
  check_inside(shape, strides, offset);
  Tensor view = *this;
  const bool is_empty = data_ == nullptr || shape.element_count() == 0;
  view.data_ = is_empty ? data_ : data_ + offset;
  view.shape_ = shape;
  view.strides_ = strides;
  return view;
}

bool Tensor::is_contiguous() const {
  if (element_count() == 0) return true;
  Index expected = 1;
  for (Index axis = rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] != 1 && strides_[static_cast<std::size_t>(axis)] != expected) return false;
    expected *= shape_[axis];
  }
  return true;
}

const Scalar* Tensor::data() const {
  if (!is_contiguous()) {
    throw ShapeError({"data: a tensor of shape ", shape_,
                      " does not lie in row-major order; call contiguous(x) first"});
  }
  return data_;
}

Scalar* Tensor::mutable_data() {
  detach();
  return data_;
}

void Tensor::detach() {
  if (element_count() == 0 || (is_unique() && is_contiguous())) return;
  detaching_copies.fetch_add(1, std::memory_order_relaxed);
  const Tensor& source = *this;
  *this = filled(shape_, [&source](Scalar* out) { copy_strided(source, out); });
}

Index Tensor::offset_of(std::initializer_list<Index> index, const char* function) const {
  if (static_cast<Index>(index.size()) != rank()) {
    throw_out_of_range(
        {function, ": ", index.size(), " index entries for shape ", shape_, "; it takes ", rank()});
  }
  Index offset = 0;
  Index axis = 0;
  for (const Index entry : index) {
    const Index size = shape_[axis];
    if (size == 0) {
      throw_out_of_range({function, ": index ", entry, " for axis ", axis, " of shape ", shape_,
                          "; the axis has no entries"});
    }
    if (entry < -size || entry >= size) {
      throw_out_of_range({function, ": index ", entry, " for axis ", axis, " of shape ", shape_,
                          "; it must be from ", -size, " to ", size - 1});
    }
    offset += (entry < 0 ? entry + size : entry) * strides_[static_cast<std::size_t>(axis)];
    ++axis;
  }
  return offset;
}

Scalar Tensor::at(std::initializer_list<Index> index) const {
  return data_[offset_of(index, "at")];
}

void Tensor::set(std::initializer_list<Index> index, Scalar value) {
  offset_of(index, "set");  // refuse a wrong index before anything is copied
  detach();
  data_[offset_of(index, "set")] = value;
}

Scalar Tensor::item() const {
  if (element_count() != 1) {
    throw ShapeError({"item: a tensor of shape ", shape_, " holds ", element_count(),
                      " numbers; item() is for exactly one"});
  }
  return *data_;
}

void Tensor::fill(Scalar value) {
  if (!is_unique() || !is_contiguous()) *this = uninitialized(shape_);
  std::fill_n(data_, element_count(), value);
}

// The part of this tensor that `source` goes to, as a view that shares memory. Detaches first, so
// the owner and the view are the only two holders of it.
Tensor Tensor::region(Index axis, Index start, const Tensor& source, const char* function) {
  const Index from_front = shape_.resolve_axis(axis, function);
  const bool same_rank = source.rank() == rank();
  const Index length = same_rank ? source.size(from_front) : 0;
  if (!same_rank || shape_.with_size(from_front, length) != source.shape()) {
    throw ShapeError({function, ": source of shape ", source.shape(), " for a region of axis ",
                      axis, " of ", shape_, "; all other sizes must be equal"});
  }
  check_entries(shape_, axis, start, length, function);
  detach();
  return narrow(*this, from_front, start, length);
}

void Tensor::assign(Index axis, Index start, const Tensor& source) {
  const Tensor target = region(axis, start, source, "assign");
  copy_into(source, target.data_, target.strides_);
}

void Tensor::accumulate(Index axis, Index start, const Tensor& source) {
  const Tensor target = region(axis, start, source, "accumulate");
  add_into(source, target.data_, target.strides_);
}

void Tensor::accumulate(const Tensor& source) {
  if (source.shape() != shape_) {
    throw ShapeError({"accumulate: source of shape ", source.shape(), " for a tensor of shape ",
                      shape_, "; the shapes must be equal"});
  }
  detach();
  add_into(source, data_, strides_);
}

std::vector<Scalar> Tensor::to_vector() const {
  std::vector<Scalar> values(static_cast<std::size_t>(element_count()));
  if (!values.empty()) copy_strided(*this, values.data());
  return values;
}

}  // namespace VITRO_SCALAR_NAMESPACE

Index detaching_copy_count() { return detaching_copies.load(std::memory_order_relaxed); }

Tensor contiguous(const Tensor& x) {
  if (x.is_contiguous()) return x;
  return Tensor::filled(x.shape(), [&x](Scalar* out) { copy_strided(x, out); });
}

}  // namespace vitro
