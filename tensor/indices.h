// Indices: whole numbers with a shape, such as token ids and targets.
#pragma once

#include <initializer_list>
#include <vector>

#include "tensor/scalar.h"
#include "tensor/shape.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// A value: copies are independent. Row-major, always contiguous.
class Indices {
 public:
  /// No numbers: shape [0].
  Indices() : shape_({0}) {}

  /// Throws ShapeError where the number of values is not the shape's.
  Indices(const Shape& shape, std::vector<Index> values);

  Indices(const Shape& shape, std::initializer_list<Index> values)
      : Indices(shape, std::vector<Index>(values)) {}

  const Shape& shape() const { return shape_; }

  Index rank() const { return shape_.rank(); }

  Index size(Index axis) const { return shape_[axis]; }

  Index element_count() const { return shape_.element_count(); }

  const std::vector<Index>& values() const { return values_; }

  /// The i-th number in row-major order. Throws std::out_of_range.
  Index operator[](Index i) const;

  friend bool operator==(const Indices& a, const Indices& b) = default;

 private:
  Shape shape_;
  std::vector<Index> values_;
};

}  // namespace VITRO_SCALAR_NAMESPACE

/// The same numbers under another shape; one size may be -1. Throws ShapeError where the sizes do
/// not hold as many.
Indices reshape(const Indices& x, const std::vector<Index>& sizes);

/// Entries start … start + length - 1 of one axis, copied. Throws ShapeError for an axis that is
/// not there, std::out_of_range where it does not have the entries.
Indices narrow(const Indices& x, Index axis, Index start, Index length);

/// Throws std::out_of_range, opened by `function`, where an id is not from 0 to count - 1.
/// `what` names the ids in the message, such as "token id".
void check_ids(const Indices& ids, Index count, const char* function, const char* what);
void check_id(Index id, Index count, const char* function, const char* what);

}  // namespace vitro
