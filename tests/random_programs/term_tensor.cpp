#include "tests/random_programs/term_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace vitro::programs {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The largest number, as a constant: a shift that cancels, so no gradient flows through it.
double highest(const std::vector<Term>& x) {
  double result = -std::numeric_limits<double>::infinity();
  for (const Term& term : x) result = std::max(result, term.value());
  return result;
}

bool is_masked(const Term& x) { return std::isinf(x.value()); }

Term exp_shifted(const Term& x, double shift) { return exp(x - x.tape->constant(shift)); }

}  // namespace

void for_each_place(const Shape& shape, const std::function<void(const Place&)>& f) {
  Place place(at(shape.rank()), 0);
  for (Index i = 0; i < shape.element_count(); ++i) {
    f(place);
    for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++place[at(axis)] < shape[axis]) break;
      place[at(axis)] = 0;
    }
  }
}

Index number_of(const Shape& shape, const Place& place) {
  const Index skipped = static_cast<Index>(place.size()) - shape.rank();
  Index number = 0;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    number = number * shape[axis] + (shape[axis] == 1 ? 0 : place[at(skipped + axis)]);
  }
  return number;
}

TermTensor moved(const TermTensor& x, const Shape& shape,
                 const std::function<Place(const Place&)>& from) {
  TermTensor y{x.tape, shape, {}};
  y.terms.reserve(at(shape.element_count()));
  for_each_place(
      shape, [&](const Place& place) { y.terms.push_back(x.at(number_of(x.shape, from(place)))); });
  return y;
}

TermTensor mapped(const TermTensor& x, const std::function<Term(const Term&)>& f) {
  return {x.tape, x.shape, each(x.terms, f)};
}

TermTensor zipped(const TermTensor& a, const TermTensor& b,
                  const std::function<Term(const Term&, const Term&)>& f) {
  TermTensor y{a.tape, broadcast_shapes(a.shape, b.shape, "zipped"), {}};
  for_each_place(y.shape, [&](const Place& place) {
    y.terms.push_back(f(a.at(number_of(a.shape, place)), b.at(number_of(b.shape, place))));
  });
  return y;
}

TermTensor stretched(const TermTensor& x, const Shape& shape) {
  return moved(x, shape, [](const Place& place) { return place; });
}

TermTensor transposed(const TermTensor& x) {
  std::vector<Index> sizes = x.shape.sizes();
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return moved(x, Shape(sizes), [](Place place) {
    std::swap(place[place.size() - 1], place[place.size() - 2]);
    return place;
  });
}

TermTensor folded(const TermTensor& x, const std::vector<Index>& axes, Axes keep,
                  const std::function<Term(const std::vector<Term>&)>& f) {
  Shape kept = x.shape;
  Shape result;
  const std::vector<Index> reduced = resolve_axes(x.shape, axes, "folded");
  for (Index axis = 0; axis < x.shape.rank(); ++axis) {
    const bool goes = std::find(reduced.begin(), reduced.end(), axis) != reduced.end();
    if (goes) kept = kept.with_size(axis, 1);
    if (!goes) result = result.with_axis_inserted(result.rank(), x.size(axis));
  }
  std::vector<std::vector<Term>> groups(at(kept.element_count()));
  Index number = 0;
  for_each_place(x.shape, [&](const Place& place) {
    groups[at(number_of(kept, place))].push_back(x.at(number++));
  });
  TermTensor y{x.tape, keep == Axes::kStay ? kept : result, {}};
  for (const std::vector<Term>& group : groups) y.terms.push_back(f(group));
  return y;
}

TermTensor along(const TermTensor& x, Index axis,
                 const std::function<std::vector<Term>(const std::vector<Term>&)>& f) {
  const Index from_front = x.shape.resolve_axis(axis, "along");
  const Shape outer = x.shape.with_size(from_front, 1);
  const Index step = x.shape.element_count() == 0 ? 0 : number_of(x.shape, [&] {
    Place place(at(x.shape.rank()), 0);
    place[at(from_front)] = x.size(axis) > 1 ? 1 : 0;
    return place;
  }());
  TermTensor y{x.tape, x.shape, std::vector<Term>(x.terms.size())};
  if (x.terms.empty()) return y;
  for_each_place(outer, [&](const Place& place) {
    const Index first = number_of(x.shape, place);
    std::vector<Term> row;
    for (Index i = 0; i < x.size(axis); ++i) row.push_back(x.at(first + i * step));
    const std::vector<Term> result = f(row);
    for (Index i = 0; i < x.size(axis); ++i) y.terms[at(first + i * step)] = result[at(i)];
  });
  return y;
}

TermTensor product(const TermTensor& a, const TermTensor& b) {
  const auto outer_of = [](const Shape& shape) {
    return shape.without_axis(shape.rank() - 1).without_axis(shape.rank() - 2);
  };
  const Shape outer = broadcast_shapes(outer_of(a.shape), outer_of(b.shape), "product");
  const Index m = a.size(-2);
  const Index k = a.size(-1);
  const Index n = b.size(-1);
  Shape shape = outer.with_axis_inserted(outer.rank(), m);
  shape = shape.with_axis_inserted(shape.rank(), n);
  TermTensor y{a.tape, shape, {}};
  for_each_place(outer, [&](const Place& place) {
    const Index first_a = number_of(outer_of(a.shape), place) * m * k;
    const Index first_b = number_of(outer_of(b.shape), place) * k * n;
    for (Index i = 0; i < m * n; ++i) {
      std::vector<Term> row;
      std::vector<Term> column;
      for (Index j = 0; j < k; ++j) {
        row.push_back(a.at(first_a + i / n * k + j));
        column.push_back(b.at(first_b + j * n + i % n));
      }
      y.terms.push_back(a.tape->dot(row, column));
    }
  });
  return y;
}

std::vector<Term> each(const std::vector<Term>& x, const std::function<Term(const Term&)>& f) {
  std::vector<Term> y;
  y.reserve(x.size());
  for (const Term& term : x) y.push_back(f(term));
  return y;
}

std::vector<Term> softmax_row(const std::vector<Term>& x) {
  const double shift = highest(x);
  Tape& tape = *x[0].tape;
  std::vector<Term> powers = each(x, [&](const Term& term) {
    return is_masked(term) ? tape.constant(0) : exp_shifted(term, shift);
  });
  if (std::isinf(shift)) return powers;
  const Term total = tape.sum(powers);
  return each(powers, [&total](const Term& power) { return power / total; });
}

std::vector<Term> log_softmax_row(const std::vector<Term>& x) {
  const double shift = highest(x);
  Tape& tape = *x[0].tape;
  const Term rest =
      log(tape.sum(each(x, [shift](const Term& term) { return exp_shifted(term, shift); })));
  return each(x, [&](const Term& term) { return term - tape.constant(shift) - rest; });
}

Term mean_of(const std::vector<Term>& x) {
  return x[0].tape->sum(x) * (1 / static_cast<double>(x.size()));
}

}  // namespace vitro::programs
