// Builder: a random program from a seed alone. It never looks at a computed number, so that the
// float and the double program make the same one: what it must know (that a divisor is no 0, that
// no number is near the kink of relu) follows from ranges that it carries along.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensor/random.h"

#include "tests/random_programs/program.h"

namespace vitro::programs {

/// `operation_count` operations are drawn at most; 0: as many as the seed says. Fewer operations
/// make the beginning of the same program.
Program make_program(std::uint64_t seed, Index operation_count = 0);

class Builder {
 public:
  Builder(std::uint64_t seed, Index operation_count);

  Program build();

  // ---- Draws ------------------------------------------------------------------------------------

  Rng& rng() { return rng_; }

  bool chance(Index percent) { return rng_.below(100) < percent; }

  Index below(Index count) { return rng_.below(count); }

  /// From low to high, both included.
  Index between(Index low, Index high) { return low + rng_.below(high - low + 1); }

  /// An axis, counted from the front or from the end.
  Index axis(const Shape& shape);
  /// A size of an axis; sometimes 1, rarely 0.
  Index size();
  Shape shape(Index least_rank, Index most_rank);
  /// A shape that stretches to this one: some axes 1, some in front left out.
  Shape stretching_shape(const Shape& to);
  /// 0 or 1 each.
  Numbers mask(const Shape& shape);
  /// Multiples of 1/16 from [-2, 2].
  Numbers exact_numbers(const Shape& shape);

  // ---- Values: numbers of steps -----------------------------------------------------------------

  const Step& step(int value) const { return program_.steps[static_cast<std::size_t>(value)]; }

  const Shape& shape_of(int value) const { return step(value).shape; }

  /// One that suits, or -1. Late ones are likelier.
  int pick(const std::function<bool(const Step&)>& suits);
  /// One that suits, or a new leaf of that shape.
  int pick_or_leaf(const std::function<bool(const Step&)>& suits, const Shape& shape);
  int any();
  /// One of at least that rank with at least one element.
  int any_filled(Index least_rank);
  /// One of exactly that shape: an earlier one, or a leaf.
  int of_shape(const Shape& shape);

  int leaf(const Shape& shape);
  int constant(const Numbers& numbers);
  int number(double value);

  /// Another value that stretches with this one to a shape of at most most_elements().
  int partner(int value);

  /// Adds a step. Results too large to go on with are followed by one that divides by a power of 2.
  int emit(const std::string& operation, const std::vector<int>& inputs, const Settings& settings,
           const Shape& shape, const Range& range);

  /// What emit will add next.
  int next() const { return static_cast<int>(program_.steps.size()); }

  /// The numbers of this step do not lie in row-major order, or may not.
  void set_scattered(int value) { at(value).contiguous = false; }

  /// This step holds -infinity.
  void set_hidden(int value) { at(value).hidden = true; }

  // ---- Away from kinks and poles: each adds steps -----------------------------------------------

  /// All numbers within ±limit.
  int within(int value, double limit);
  /// All numbers at least 1/4.
  int positive(int value);
  /// tanh(value)/4 + offsets: within 1/4 of the offset.
  int near(int value, const Numbers& offsets);

  bool is_large() const { return large_; }

  Index most_elements() const { return large_ ? 40'000 : 160; }

  /// Multiplications of a product.
  Index most_multiplications() const { return large_ ? 600'000 : 2'000; }

 private:
  Step& at(int value) { return program_.steps[static_cast<std::size_t>(value)]; }

  int add(Step step);
  void draw_operation();
  void finish();
  Layout layout_for(Numbers& numbers);

  /// Whether later operations may use it.
  static bool is_open(const Step& step) { return !step.hidden && step.range.size() <= kWide; }

  static constexpr double kWide = 64;

  Rng rng_;
  Program program_;
  Index operation_count_;
  bool large_;
  bool has_empty_axes_;
  bool no_grad_ = false;
};

}  // namespace vitro::programs
