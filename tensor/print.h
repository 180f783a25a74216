// Tensors as text that reads well.
#pragma once

#include <iosfwd>
#include <string>

#include "tensor/indices.h"
#include "tensor/tensor.h"

namespace vitro {

/// How many digits, and from which size on axes are shortened to their ends.
struct PrintOptions {
  Index decimals = 4;        ///< digits after the point
  Index max_elements = 500;  ///< tensors with more show the first and last few entries of long axes
  Index edge_entries = 3;    ///< how many at each end
};

/// The shape first, then the numbers in aligned columns:
///     Tensor [2, 2]
///     [[ 0.5000, -1.2500],
///      [ 3.0000,  0.0000]]
/// Whole numbers are printed without a point; very large or small ones with an exponent.
std::string to_string(const Tensor& x, const PrintOptions& options = {});
std::string to_string(const Indices& x, const PrintOptions& options = {});

std::ostream& operator<<(std::ostream& out, const Shape& shape);
std::ostream& operator<<(std::ostream& out, const Tensor& x);
std::ostream& operator<<(std::ostream& out, const Indices& x);

/// `value` with `decimals` digits after the point, or with an exponent where `scientific`.
std::string number_text(double value, Index decimals, bool scientific = false);

/// A number_text with the zeros at the end of its decimals left out, and the point with them.
std::string without_trailing_zeros(std::string number);

}  // namespace vitro
