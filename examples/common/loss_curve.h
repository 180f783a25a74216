// Loss curves: in the terminal, and as an SVG picture.
#pragma once

#include <string>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::examples {

/// One line of a chart: y over x. NaN and infinities are left out.
struct Curve {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

/// A height that the curves are to be compared with, such as ln V.
struct Level {
  std::string name;
  double y = 0;
};

struct Chart {
  std::string title = {};
  std::string x_axis = {};
  std::vector<Curve> curves = {};
  std::vector<Level> levels = {};
};

/// `values` as a row of at most `width` blocks, "█▅▂▁", from the smallest to the largest.
std::string sparkline(const std::vector<double>& values, Index width = 60);

/// The first curve as lines of Braille dots with a scale at the left, `height` lines high.
/// Throws std::invalid_argument where x and y of a curve differ in length.
std::string chart_text(const Chart& chart, Index width = 60, Index height = 10);

/// A self-contained SVG file, for light and dark pages; up to four curves. Same bytes each time.
std::string chart_svg(const Chart& chart);

}  // namespace vitro::examples
