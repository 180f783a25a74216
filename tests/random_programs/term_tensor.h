// TermTensor: a shape and its numbers on a tape, row-major. No views, no strides: moving numbers
// is a list of places.
#pragma once

#include <functional>
#include <vector>

#include "tensor/indices.h"
#include "tensor/shape.h"

#include "tests/random_programs/tape.h"

namespace vitro::programs {

struct TermTensor {
  Tape* tape;
  Shape shape;
  std::vector<Term> terms;

  const Term& at(Index place) const { return terms[static_cast<std::size_t>(place)]; }

  Index size(Index axis) const { return shape[axis]; }
};

using TermTensors = std::vector<TermTensor>;
using Place = std::vector<Index>;  // one index an axis

/// f of each place of a shape, in row-major order.
void for_each_place(const Shape& shape, const std::function<void(const Place&)>& f);

/// The place's number in row-major order; axes of size 1 count as index 0, and axes of `place`
/// that the shape does not have (in front) are left out: how a stretched tensor is read.
Index number_of(const Shape& shape, const Place& place);

/// The numbers of x at the places that `from` gives for each place of the new shape.
TermTensor moved(const TermTensor& x, const Shape& shape,
                 const std::function<Place(const Place&)>& from);

TermTensor mapped(const TermTensor& x, const std::function<Term(const Term&)>& f);
/// Stretched to one shape.
TermTensor zipped(const TermTensor& a, const TermTensor& b,
                  const std::function<Term(const Term&, const Term&)>& f);
TermTensor stretched(const TermTensor& x, const Shape& shape);
TermTensor transposed(const TermTensor& x);  // the last two axes

/// f of each group of numbers that differ only along `axes` (empty: all); the axes stay with size 1
/// or go.
enum class Axes { kGo, kStay };
TermTensor folded(const TermTensor& x, const std::vector<Index>& axes, Axes keep,
                  const std::function<Term(const std::vector<Term>&)>& f);

/// f of each row along one axis, which gives a row of the same length.
TermTensor along(const TermTensor& x, Index axis,
                 const std::function<std::vector<Term>(const std::vector<Term>&)>& f);

TermTensor product(const TermTensor& a, const TermTensor& b);

/// f of each number of a row.
std::vector<Term> each(const std::vector<Term>& x, const std::function<Term(const Term&)>& f);

// Formulas that several operations share.

/// Entries of -infinity weigh exactly 0, also where all are.
std::vector<Term> softmax_row(const std::vector<Term>& x);
std::vector<Term> log_softmax_row(const std::vector<Term>& x);
Term mean_of(const std::vector<Term>& x);

}  // namespace vitro::programs
