// Charts in the terminal. For SVG see loss_curve_svg.cpp.
#include "examples/common/loss_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tensor/error.h"
#include "tensor/pictures/glyphs.h"
#include "tensor/print.h"

#include "examples/common/chart_range.h"

namespace vitro::examples {
namespace {

// A grid of Braille characters: each holds 2 x 4 dots.
class DotGrid {
 public:
  DotGrid(Index width, Index height)
      : width_(width), height_(height), bits_(static_cast<std::size_t>(width * height)) {}

  Index dot_columns() const { return width_ * 2; }

  Index dot_rows() const { return height_ * 4; }

  // Row 0 is at the bottom. Dots outside are left out.
  void set(Index column, Index row) {
    if (column < 0 || row < 0 || column >= dot_columns() || row >= dot_rows()) return;
    // The bits of a character's dots: left column from top to bottom, then the right one.
    constexpr std::array<std::array<unsigned, 4>, 2> bits = {
        {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
    const Index from_top = dot_rows() - 1 - row;
    bits_[static_cast<std::size_t>(from_top / 4 * width_ + column / 2)] |=
        bits[static_cast<std::size_t>(column % 2)][static_cast<std::size_t>(from_top % 4)];
  }

  std::string line(Index row) const {
    std::string text;
    for (Index column = 0; column < width_; ++column) {
      const unsigned bits = bits_[static_cast<std::size_t>(row * width_ + column)];
      // U+2800 + bits in UTF-8.
      text += '\xe2';
      text += static_cast<char>(0xa0 + (bits >> 6));
      text += static_cast<char>(0x80 + (bits & 0x3f));
    }
    return text;
  }

 private:
  Index width_;
  Index height_;
  std::vector<unsigned> bits_;
};

Index nearest(double value) { return static_cast<Index>(std::floor(value + 0.5)); }

// The curve from point to point, each column of dots filled between its neighbours' heights.
void draw(const Curve& curve, const ChartRange& range, DotGrid& grid) {
  Index last_column = -1;
  Index last_row = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!is_drawable(curve.x[i]) || !is_drawable(curve.y[i])) continue;
    const Index column = nearest(range.across(curve.x[i]) * double(grid.dot_columns() - 1));
    const Index row = nearest(range.up(curve.y[i]) * double(grid.dot_rows() - 1));
    if (last_column < 0) last_column = column, last_row = row;
    const Index steps = std::max<Index>({column - last_column, std::abs(row - last_row), 1});
    for (Index step = 0; step <= steps; ++step) {
      const double part = double(step) / double(steps);
      grid.set(nearest(double(last_column) + double(column - last_column) * part),
               nearest(double(last_row) + double(row - last_row) * part));
    }
    last_column = column;
    last_row = row;
  }
}

}  // namespace

std::string sparkline(const std::vector<double>& values, Index width) {
  constexpr std::array<const char*, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!is_drawable(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const auto count = static_cast<Index>(values.size());
  const Index columns = std::min(count, std::max<Index>(width, 1));
  std::string text;
  for (Index column = 0; column < columns; ++column) {
    // The last value of each column's share, so that the end is the true end.
    const double value = values[static_cast<std::size_t>((column + 1) * count / columns - 1)];
    if (!is_drawable(value)) {
      text += "×";
      continue;
    }
    const double part = high > low ? (value - low) / (high - low) : 0;
    text += blocks[static_cast<std::size_t>(nearest(part * 7))];
  }
  return text;
}

std::string chart_text(const Chart& chart, Index width, Index height) {
  const ChartRange range = chart_range(chart);
  DotGrid grid(std::clamp<Index>(width, 2, 400), std::clamp<Index>(height, 2, 100));
  if (!chart.curves.empty()) draw(chart.curves.front(), range, grid);
  for (const Level& level : chart.levels) {  // dotted
    if (!is_drawable(level.y)) continue;
    const Index row = nearest(range.up(level.y) * double(grid.dot_rows() - 1));
    for (Index column = 0; column < grid.dot_columns(); column += 4) grid.set(column, row);
  }
  const Index lines = grid.dot_rows() / 4;
  std::string text = chart.title.empty() ? "" : visible_text(chart.title) + "\n";
  for (Index line = 0; line < lines; ++line) {
    const double y = range.high_y - (range.high_y - range.low_y) * double(line) / double(lines - 1);
    const bool labelled = line % 3 == 0 || line == lines - 1;
    std::string label = labelled ? number_text(y, 2) : "";
    label.insert(0, label.size() < 8 ? 8 - label.size() : 0, ' ');
    text += label + (labelled ? " ┤" : " │") + grid.line(line) + "\n";
  }
  for (const Level& level : chart.levels) {
    text +=
        "          dotted: " + visible_text(level.name) + " = " + number_text(level.y, 4) + "\n";
  }
  return text;
}

}  // namespace vitro::examples
