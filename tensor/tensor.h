// Tensor: numbers with a shape. A value: writing to one tensor never changes another.
#pragma once

#include <initializer_list>
#include <vector>

#include "tensor/scalar.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// Shared storage, a shape, strides and the place of the first element.
///
/// Copies and views (transpose, narrow, broadcast_to, …) share the numbers and cost nothing.
/// Whoever writes to shared numbers gets memory of its own first (copy on write), so a write can
/// never change another tensor, a value saved for backward, or a gradient. A view does not write
/// to the tensor it was made from: write through the owner.
///
/// Invariants: element (i, j, …) lies at data_[i * strides_[0] + j * strides_[1] + …], inside the
/// storage; a size-1 or broadcast axis may have stride 0.
/// Threads: different tensors may be used from different threads, also where they share numbers.
class Tensor {
 public:
  /// No numbers: shape [0].
  Tensor();

  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor(Tensor&& other) noexcept;  // leaves the other as Tensor() does
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;

  /// `values` in row-major order. Throws ShapeError where their number is not the shape's.
  Tensor(const Shape& shape, std::initializer_list<Scalar> values);
  Tensor(const Shape& shape, const std::vector<Scalar>& values);

  /// A new tensor whose numbers `write(Scalar* out)` puts in, all of them, in row-major order.
  /// Nothing shares the memory before it is filled.
  template <typename Write>
  static Tensor filled(const Shape& shape, const Write& write) {
    Tensor result = uninitialized(shape);
    if (shape.element_count() > 0) write(result.data_);
    return result;
  }

  const Shape& shape() const { return shape_; }

  const Strides& strides() const { return strides_; }

  Index rank() const { return shape_.rank(); }

  Index element_count() const { return shape_.element_count(); }

  /// The size of an axis; -1 is the last one. Throws ShapeError for an axis that is not there.
  Index size(Index axis) const { return shape_[axis]; }

  /// Whether the numbers lie in row-major order without gaps.
  bool is_contiguous() const;

  /// The numbers in row-major order. Throws ShapeError where they do not lie so: see contiguous().
  const Scalar* data() const;

  /// The first number, to be read by strides().
  const Scalar* strided_data() const { return data_; }

  /// For kernels: memory that is this tensor's alone and contiguous, copied first where needed.
  /// Take it once, before parallel_for, write, and let go.
  Scalar* mutable_data();

  /// One number. Throws std::out_of_range; the index has one entry an axis, negative from the end.
  Scalar at(std::initializer_list<Index> index) const;
  void set(std::initializer_list<Index> index, Scalar value);

  /// The number of a tensor that holds exactly one, of any rank. Throws ShapeError for any other.
  Scalar item() const;

  /// Overwrites every number.
  void fill(Scalar value);

  /// Overwrites `source.size(axis)` entries of `axis` from `start` on: a KV cache's append. In
  /// place, unless a copy or a view of this tensor is alive during the call. Throws ShapeError
  /// where another size of source differs, std::out_of_range where the axis does not have the
  /// entries.
  void assign(Index axis, Index start, const Tensor& source);

  /// Adds `source` to that region instead, or to all numbers (source has this tensor's shape).
  /// Throws likewise.
  void accumulate(Index axis, Index start, const Tensor& source);
  void accumulate(const Tensor& source);

  /// The numbers in row-major order, as a list.
  std::vector<Scalar> to_vector() const;

  /// Whether this tensor is the only owner of its numbers.
  bool is_unique() const { return storage_.is_unique(); }

  /// Whether both show numbers of the same memory, not necessarily the same ones of it: a tensor
  /// and its views do. False where one of them has no memory.
  bool shares_memory_with(const Tensor& other) const {
    return storage_.data() != nullptr && storage_.data() == other.storage_.data();
  }

  /// For view functions: other sizes and strides on the same numbers, `offset` elements further on.
  /// Throws std::out_of_range where an element would lie outside the memory.
  Tensor make_view(const Shape& shape, const Strides& strides, Index offset) const;

 private:
  Tensor(const Shape& shape, Storage storage);  // row-major, with what the memory holds
  static Tensor uninitialized(const Shape& shape);
  Index offset_of(std::initializer_list<Index> index, const char* function) const;
  Tensor region(Index axis, Index start, const Tensor& source, const char* function);
  void check_inside(const Shape& shape, const Strides& strides, Index offset) const;
  void detach();

  // Plain fields, so that a debugger shows them without calling code.
  Scalar* data_ = nullptr;
  Shape shape_;
  Strides strides_{};
  Storage storage_;
};

}  // namespace VITRO_SCALAR_NAMESPACE

/// How many writes so far had to copy because the numbers were shared or not contiguous.
/// 0 in a steady training step and per generated token.
Index detaching_copy_count();

/// The same numbers, contiguous: x itself where it already is.
Tensor contiguous(const Tensor& x);

}  // namespace vitro
