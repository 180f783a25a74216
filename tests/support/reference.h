// A plain tensor to compare with: doubles, row-major, every operation index by index.
#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace vitro::test {

using Places = std::vector<Index>;

struct Reference {
  Places sizes;
  std::vector<double> values;

  double at(const Places& place) const;
};

/// The reference whose number at each place is value(place).
Reference make_reference(const Places& sizes, const std::function<double(const Places&)>& value);

/// x's numbers, read through its own strides one by one.
Reference reference_of(const Tensor& x);

// The views, as their definitions say.
Reference transposed(const Reference& x, Index a, Index b);
Reference permuted(const Reference& x, const Places& axes);
Reference narrowed(const Reference& x, Index axis, Index start, Index length);
Reference reshaped(const Reference& x, const Places& sizes);
Reference broadcast(const Reference& x, const Places& sizes);

/// f of each pair, stretched to one shape.
Reference zipped(const Reference& a, const Reference& b,
                 const std::function<double(double, double)>& f);

/// Each group of numbers that differ only along `axes` becomes fold(group); the axes stay with
/// size 1.
Reference folded(const Reference& x, const Places& axes,
                 const std::function<double(const std::vector<double>&)>& fold);

/// [.., m, k] · [.., k, n].
Reference multiplied(const Reference& a, const Reference& b);

/// Fails unless x has the reference's sizes and numbers.
void expect_close(const Tensor& x, const Reference& expected, double tolerance);

}  // namespace vitro::test
