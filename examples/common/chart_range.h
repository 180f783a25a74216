// The part of the plane that a chart shows.
#pragma once

#include <vector>

#include "tensor/scalar.h"

#include "examples/common/loss_curve.h"

namespace vitro::examples {

/// Both sides are longer than 0.
struct ChartRange {
  double low_x = 0;
  double high_x = 1;
  double low_y = 0;
  double high_y = 1;

  /// From 0 at the left or the bottom to 1 at the right or the top.
  double across(double x) const { return (x - low_x) / (high_x - low_x); }

  double up(double y) const { return (y - low_y) / (high_y - low_y); }
};

/// Whether a number has a place in a chart: none for NaN, infinities, and what lies close to them.
bool is_drawable(double value);

/// Holds all curves and levels, and 0 where they come near it. Throws std::invalid_argument where x
/// and y of a curve differ in length.
ChartRange chart_range(const Chart& chart);

/// Round numbers from low to high, about `count` of them: where a scale's lines go.
std::vector<double> round_ticks(double low, double high, Index count);

}  // namespace vitro::examples
