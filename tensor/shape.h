// Shape: the sizes of a tensor's axes, and the arithmetic on shapes that every operation shares.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tensor/error.h"
#include "tensor/scalar.h"

namespace vitro {

inline constexpr Index kMaxRank = 8;

/// Elements to move on when an index along each axis grows by one. Entries past the rank are 0.
using Strides = std::array<Index, kMaxRank>;

inline namespace VITRO_SCALAR_NAMESPACE {

/// Up to 8 sizes. Rank 0 is a single number; a size may be 0.
/// Invariant: every size >= 0, and the product of the sizes other than 0 is at most 2^56, so that
/// no later product of sizes, strides or bytes can overflow.
class Shape {
 public:
  Shape() = default;

  /// Throws ShapeError for more than 8 sizes, a negative one, or more than 2^56 elements.
  Shape(std::initializer_list<Index> sizes);
  explicit Shape(std::span<const Index> sizes);

  Index rank() const { return rank_; }

  Index element_count() const { return element_count_; }

  /// The size of an axis; -1 is the last one. Throws ShapeError for an axis that is not there.
  Index operator[](Index axis) const {
    return sizes_[static_cast<std::size_t>(resolve_axis(axis, "Shape"))];
  }

  /// `axis` counted from the front: -1 becomes rank - 1. `function` opens the error's sentence.
  Index resolve_axis(Index axis, const char* function) const {
    if (axis < -rank_ || axis >= rank_) throw_no_axis(axis, function);
    return axis < 0 ? axis + rank_ : axis;
  }

  /// Where a new axis goes: before `axis`, counted from the front; -1 means after the last.
  Index resolve_new_axis(Index axis, const char* function) const;

  /// This shape with one axis' size replaced, an axis taken out, or one put in before `axis` (from
  /// 0 to the rank). Throws ShapeError for an axis that is not there.
  Shape with_size(Index axis, Index size) const;
  Shape without_axis(Index axis) const;
  Shape with_axis_inserted(Index axis, Index size) const;

  std::vector<Index> sizes() const { return std::vector<Index>(begin(), end()); }

  const Index* begin() const { return sizes_.data(); }

  const Index* end() const { return sizes_.data() + rank_; }

  /// "[2, 3]"; rank 0 is "[]".
  std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b) = default;

 private:
  void append(Index size);
  [[noreturn]] void throw_no_axis(Index axis, const char* function) const;

  Index rank_ = 0;
  Index element_count_ = 1;
  std::array<Index, kMaxRank> sizes_{};  // entries past the rank are 0
};

/// Strides of a row-major tensor: the last axis moves by 1.
Strides row_major_strides(const Shape& shape);

/// The shape that a and b stretch to: axes are matched from the last, and a size of 1 stretches.
/// Throws ShapeError, opened by `function`, where two sizes differ and neither is 1.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* function);

/// Whether a tensor of shape `from` stretches to `to` (`to` has at least its rank).
bool broadcasts_to(const Shape& from, const Shape& to);

/// `sizes` with at most one -1 replaced by what the others leave of the elements of `from`. Throws
/// ShapeError, opened by `function`, where they do not hold the same number of elements.
Shape reshaped_shape(const Shape& from, const std::vector<Index>& sizes, const char* function);

/// Throws ShapeError, opened by `function`, unless a gradient has the shape of its output.
void check_grad_shape(const Shape& grad, const Shape& output, const char* function);

/// Throws std::out_of_range, opened by `function`, unless `axis` of `shape` has the entries start …
/// start + length - 1.
void check_entries(const Shape& shape, Index axis, Index start, Index length, const char* function);

/// Whether Shape can hold these sizes, which are 0 or more: their product is not too large.
bool element_count_fits(const std::vector<Index>& sizes);

/// The order that undoes a permutation: entry order[i] of the result is i.
std::vector<Index> inverse_order(const std::vector<Index>& order);

/// `axes`, counted from the front, in ascending order; an empty list means every axis.
/// Throws ShapeError for an axis that is missing from the shape or named twice.
std::vector<Index> resolve_axes(const Shape& shape, const std::vector<Index>& axes,
                                const char* function);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
