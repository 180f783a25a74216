#include "tests/random_programs/builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

Range range_of(const std::vector<double>& values) {
  if (values.empty()) return {0, 0};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

}  // namespace

Program make_program(std::uint64_t seed, Index operation_count) {
  return Builder(seed, operation_count).build();
}

Builder::Builder(std::uint64_t seed, Index operation_count)
    : rng_(seed), operation_count_(operation_count) {
  large_ = chance(2);
  has_empty_axes_ = !large_ && chance(8);
  const Index drawn = large_ ? between(2, 4) : between(3, 14);
  operation_count_ = operation_count == 0 ? drawn : std::min(operation_count, drawn);
  program_.seed = seed;
  program_.operation_count = operation_count;
}

Program Builder::build() {
  leaf(shape(0, 4));
  leaf(shape(1, 3));
  for (Index i = 0; i < operation_count_; ++i) draw_operation();
  finish();
  return program_;
}

// An operation whose draw finds nothing that suits is followed by another.
void Builder::draw_operation() {
  const auto count = static_cast<Index>(operations().size());
  const std::size_t before = program_.steps.size();
  no_grad_ = chance(6);
  for (int attempt = 0; attempt < 20 && program_.steps.size() == before; ++attempt) {
    operations()[index(rng_.below(count))].draw(*this);
  }
  no_grad_ = false;
}

// The loss: every result that nothing used, times constants, all added up.
void Builder::finish() {
  std::vector<bool> used(program_.steps.size(), false);
  for (const Step& step : program_.steps) {
    for (const int input : step.inputs) used[index(input)] = true;
  }
  int total = -1;
  for (int value = 0; value < static_cast<int>(used.size()); ++value) {
    const bool is_end = !used[index(value)] && is_open(step(value)) && !step(value).is_leaf();
    if (!is_end && !(total < 0 && value + 1 == static_cast<int>(used.size()))) continue;
    const Shape shape = shape_of(value);
    const Range range = step(value).range;
    const int weights = constant(exact_numbers(shape));
    const double size = 2 * range.size();
    const auto count = static_cast<double>(shape.element_count());
    const int product = emit("operator*(a, b)", {value, weights}, {}, shape, {-size, size});
    const double width = step(product).range.size() * count;
    const int sum = emit("sum(x, axes, keep)", {product}, {}, {}, {-width, width});
    const double both = step(sum).range.size() + (total < 0 ? 0 : step(total).range.size());
    total = total < 0 ? sum : emit("operator+(a, b)", {total, sum}, {}, {}, {-both, both});
  }
}

// ---- Draws --------------------------------------------------------------------------------------

Index Builder::axis(const Shape& shape) {
  const Index from_front = rng_.below(shape.rank());
  return chance(50) ? from_front : from_front - shape.rank();
}

Index Builder::size() {
  if (has_empty_axes_ && chance(15)) return 0;
  if (chance(20)) return 1;
  return large_ ? between(2, 200) : between(2, 7);
}

Shape Builder::shape(Index least_rank, Index most_rank) {
  const Index rank = between(least_rank, most_rank);
  Shape shape;
  for (Index i = 0; i < rank; ++i) {
    const Index left = most_elements() / std::max<Index>(1, shape.element_count());
    const Index drawn = std::min(size(), std::max<Index>(1, left));
    shape = shape.with_axis_inserted(rng_.below(i + 1), drawn);
  }
  // Above the grain of every elementwise loop.
  if (large_ && rank > 0 && shape.element_count() < 17'000) {
    const Index others = shape.with_size(0, 1).element_count();
    shape = shape.with_size(0, most_elements() / std::max<Index>(1, others));
  }
  return shape;
}

Shape Builder::stretching_shape(const Shape& to) {
  std::vector<Index> sizes = to.sizes();
  while (!sizes.empty() && chance(25)) sizes.erase(sizes.begin());
  for (Index& size : sizes) size = chance(30) ? 1 : size;
  return Shape(sizes);
}

Numbers Builder::mask(const Shape& shape) {
  Numbers mask{shape, {}};
  for (Index i = 0; i < shape.element_count(); ++i) mask.values.push_back(chance(70) ? 1 : 0);
  return mask;
}

Numbers Builder::exact_numbers(const Shape& shape) {
  Numbers numbers{shape, {}};
  for (Index i = 0; i < shape.element_count(); ++i) {
    numbers.values.push_back(static_cast<double>(between(-32, 32)) / 16);
  }
  return numbers;
}

// ---- Values -------------------------------------------------------------------------------------

int Builder::pick(const std::function<bool(const Step&)>& suits) {
  std::vector<int> fitting;
  for (int value = 0; value < static_cast<int>(program_.steps.size()); ++value) {
    const Step& candidate = step(value);
    const bool is_number = candidate.is_leaf() && candidate.leaf.kind == LeafKind::kNumber;
    if (is_open(candidate) && !is_number && suits(candidate)) fitting.push_back(value);
  }
  if (fitting.empty()) return -1;
  const auto count = static_cast<Index>(fitting.size());
  const Index first = chance(60) ? std::max<Index>(0, count - 3) : 0;
  return fitting[index(between(first, count - 1))];
}

int Builder::pick_or_leaf(const std::function<bool(const Step&)>& suits, const Shape& shape) {
  const int value = chance(85) ? pick(suits) : -1;
  return value >= 0 ? value : leaf(shape);
}

int Builder::any() {
  return pick_or_leaf([](const Step&) { return true; }, shape(0, 4));
}

int Builder::any_filled(Index least_rank) {
  const auto suits = [least_rank](const Step& step) {
    return step.shape.rank() >= least_rank && step.shape.element_count() > 0;
  };
  Shape shape = this->shape(least_rank, 4);
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) shape = shape.with_size(axis, 2);
  }
  return pick_or_leaf(suits, shape);
}

int Builder::of_shape(const Shape& shape) {
  return pick_or_leaf([&shape](const Step& step) { return step.shape == shape; }, shape);
}

// Which layouts a leaf may have; a stretched one has equal numbers along its first axis.
Layout Builder::layout_for(Numbers& numbers) {
  const Index rank = numbers.shape.rank();
  if (rank == 0 || numbers.values.empty() || chance(60)) return Layout::kPlain;
  if (rank >= 2 && chance(50)) return Layout::kTransposed;
  if (chance(70)) return Layout::kNarrowed;
  const std::size_t row = numbers.values.size() / index(numbers.shape[0]);
  for (std::size_t i = row; i < numbers.values.size(); ++i) {
    numbers.values[i] = numbers.values[i - row];
  }
  return Layout::kStretched;
}

int Builder::leaf(const Shape& shape) {
  Numbers numbers = exact_numbers(shape);
  Step step;
  step.leaf.layout = layout_for(numbers);
  step.leaf.kind = chance(85) ? LeafKind::kParameter : LeafKind::kConstant;
  step.leaf.values = numbers.values;
  step.shape = shape;
  step.range = range_of(numbers.values);
  step.contiguous = step.leaf.layout == Layout::kPlain;
  return add(step);
}

int Builder::constant(const Numbers& numbers) {
  Step step;
  step.leaf.kind = LeafKind::kConstant;
  step.leaf.values = numbers.values;
  step.shape = numbers.shape;
  step.range = range_of(numbers.values);
  return add(step);
}

int Builder::number(double value) {
  const int result = constant({Shape{}, {value}});
  at(result).leaf.kind = LeafKind::kNumber;
  return result;
}

int Builder::partner(int value) {
  const Shape shape = shape_of(value);
  if (chance(12)) return value;
  if (chance(12)) return number(static_cast<double>(between(-12, 12)) / 8);
  const auto fits = [&](const Step& step) {
    for (Index axis = 1; axis <= std::min(step.shape.rank(), shape.rank()); ++axis) {
      const Index a = step.shape[-axis];
      const Index b = shape[-axis];
      if (a != b && a != 1 && b != 1) return false;
    }
    const Shape both = broadcast_shapes(step.shape, shape, "partner");
    return both.element_count() <= most_elements() && both.rank() <= 5;
  };
  const int earlier = chance(50) ? pick(fits) : -1;
  if (earlier >= 0) return earlier;
  Shape other = stretching_shape(shape);
  // Sometimes this one is the one that stretches.
  for (Index axis = 0; axis < other.rank(); ++axis) {
    const bool can_grow = shape[axis - other.rank()] == 1 && chance(40);
    if (can_grow && shape.element_count() * 3 <= most_elements()) other = other.with_size(axis, 3);
    if (can_grow) break;
  }
  return leaf(other);
}

int Builder::add(Step step) {
  step.no_grad = no_grad_ && !step.is_leaf();
  program_.steps.push_back(std::move(step));
  return static_cast<int>(program_.steps.size()) - 1;
}

int Builder::emit(const std::string& operation, const std::vector<int>& inputs,
                  const Settings& settings, const Shape& shape, const Range& range) {
  Step step;
  step.operation = operation_number(operation);
  step.inputs = inputs;
  step.settings = settings;
  step.shape = shape;
  step.range = range;
  const int result = add(step);
  return range.size() > kWide ? within(result, 4) : result;
}

// ---- Away from kinks and poles ------------------------------------------------------------------

int Builder::within(int value, double limit) {
  const Range range = step(value).range;
  if (range.size() <= limit) return value;
  const double factor = std::exp2(std::floor(std::log2(limit / range.size())));
  return emit("operator*(a, b)", {value, number(factor)}, {}, shape_of(value),
              {range.low * factor, range.high * factor});
}

int Builder::positive(int value) {
  if (step(value).range.low >= 0.25) return value;
  const Shape shape = shape_of(value);
  if (chance(40)) {
    const int x = within(value, 4);
    const double most = step(x).range.size() * step(x).range.size();
    const int square = emit("operator*(a, b)", {x, x}, {}, shape, {0, most});
    return emit("operator+(a, b)", {square, number(0.5)}, {}, shape, {0.5, most + 0.5});
  }
  if (chance(50)) {
    return emit("exp(x)", {within(value, 1)}, {}, shape, {std::exp(-1.0), std::exp(1.0)});
  }
  const int y = emit("sigmoid(x)", {value}, {}, shape, {0, 1});
  return emit("operator+(a, b)", {y, number(0.5)}, {}, shape, {0.5, 1.5});
}

int Builder::near(int value, const Numbers& offsets) {
  const Shape shape = shape_of(value);
  const int y = emit("tanh(x)", {value}, {}, shape, {-1, 1});
  const int quarter = emit("operator*(a, b)", {y, number(0.25)}, {}, shape, {-0.25, 0.25});
  const Range range = range_of(offsets.values);
  return emit("operator+(a, b)", {quarter, constant(offsets)}, {}, shape,
              {range.low - 0.25, range.high + 0.25});
}

}  // namespace vitro::programs
