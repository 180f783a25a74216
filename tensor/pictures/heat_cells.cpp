#include "tensor/pictures/heat_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tensor/pictures/glyphs.h"
#include "tensor/print.h"

namespace vitro {
namespace {

// From white to full colour in steps that look even; the ends are the palette's own.
constexpr std::array<Rgb, 5> kBlues = {{{0xf7, 0xf7, 0xf7},
                                        {0xd1, 0xe5, 0xf0},
                                        {0x92, 0xc5, 0xde},
                                        {0x43, 0x93, 0xc3},
                                        {0x21, 0x66, 0xac}}};
constexpr std::array<Rgb, 5> kOranges = {{{0xf7, 0xf7, 0xf7},
                                          {0xfe, 0xe0, 0xb6},
                                          {0xfd, 0xb8, 0x63},
                                          {0xe0, 0x82, 0x14},
                                          {0xb3, 0x58, 0x06}}};

int between(int from, int to, double fraction) {
  return static_cast<int>(std::floor(from + (to - from) * fraction + 0.5));
}

// Of a block, what must not be overlooked: NaN, else the largest magnitude; -inf only among its
// own.
bool is_more_striking(double candidate, double current) {
  if (is_nan(current)) return false;
  if (is_nan(candidate)) return true;
  if (is_minus_infinity(current)) return !is_minus_infinity(candidate);
  if (is_minus_infinity(candidate)) return false;
  return std::fabs(candidate) > std::fabs(current);
}

std::vector<double> striking_entries(const Tensor& x, const HeatCells& cells) {
  const std::vector<Scalar> entries = x.to_vector();
  std::vector<double> values(static_cast<std::size_t>(cells.row_count * cells.column_count),
                             -std::numeric_limits<double>::infinity());
  for (Index row = 0; row < x.size(0); ++row) {
    for (Index column = 0; column < x.size(1); ++column) {
      const Index cell = row / cells.row_block * cells.column_count + column / cells.column_block;
      const auto entry =
          static_cast<double>(entries[static_cast<std::size_t>(row * x.size(1) + column)]);
      double& shown = values[static_cast<std::size_t>(cell)];
      if (is_more_striking(entry, shown)) shown = entry;
    }
  }
  return values;
}

std::vector<std::string> shown_labels(const std::vector<std::string>& labels, Index block,
                                      Index max_width) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < labels.size(); i += static_cast<std::size_t>(block)) {
    shown.push_back(visible_text(labels[i], max_width));
  }
  return shown;
}

void check_labels(const std::vector<std::string>& labels, Index size, const char* what,
                  const Shape& shape, const char* function) {
  const auto count = static_cast<Index>(labels.size());
  if (count == 0 || count == size) return;
  throw ShapeError({function, ": there are ", count, " ", what, " labels for x ", shape,
                    "; there must be none or ", size});
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

bool are_weights(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return is_nan(value) || (value >= 0 && value <= 1); });
}

}  // namespace

bool HeatCells::has(bool (*test)(double)) const {
  return std::any_of(values.begin(), values.end(), test);
}

HeatCells heat_cells(const Tensor& x, const HeatmapOptions& options, Index max_size,
                     Index label_width, const char* function) {
  if (x.rank() != 2) {
    throw ShapeError({function, ": x is ", x.shape(), "; it must be a matrix [rows, columns]"});
  }
  check_labels(options.row_labels, x.size(0), "row", x.shape(), function);
  check_labels(options.column_labels, x.size(1), "column", x.shape(), function);
  if (!(options.limit >= 0) || !std::isfinite(options.limit)) {
    throw_invalid({function, ": limit is ", options.limit, "; it must be 0 or a positive number"});
  }
  const auto block_of = [max_size](Index size) {
    return std::max<Index>(1, (size + max_size - 1) / max_size);
  };
  HeatCells cells;
  cells.row_block = block_of(x.size(0));
  cells.column_block = block_of(x.size(1));
  cells.row_count = (x.size(0) + cells.row_block - 1) / cells.row_block;
  cells.column_count = (x.size(1) + cells.column_block - 1) / cells.column_block;
  cells.values = striking_entries(x, cells);
  cells.row_labels = shown_labels(options.row_labels, cells.row_block, label_width);
  cells.column_labels = shown_labels(options.column_labels, cells.column_block, label_width);
  cells.is_signed = options.scale == HeatScale::kSigned ||
                    (options.scale == HeatScale::kAuto && !are_weights(cells.values));
  cells.limit = cells.is_signed ? largest_magnitude(cells.values) : 1;
  if (options.limit > 0) cells.limit = options.limit;
  if (cells.limit == 0) cells.limit = 1;
  return cells;
}

Rgb heat_color(double fraction) {
  const std::array<Rgb, 5>& stops = fraction < 0 ? kBlues : kOranges;
  const double place = std::min(std::fabs(fraction), 1.0) * static_cast<double>(stops.size() - 1);
  const auto stop = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double rest = place - static_cast<double>(stop);
  const Rgb& from = stops[stop];
  const Rgb& to = stops[stop + 1];
  return {between(from.red, to.red, rest), between(from.green, to.green, rest),
          between(from.blue, to.blue, rest)};
}

bool is_light(const Rgb& color) {
  return 299 * color.red + 587 * color.green + 114 * color.blue > 140'000;
}

std::string block_note(const HeatCells& cells) {
  if (cells.row_block * cells.column_block == 1) return "";
  return join_text(
      {"each cell is the largest of ", cells.row_block, " x ", cells.column_block, " entries"});
}

std::string cell_number(double value, Index decimals, double limit) {
  const double size = std::fabs(value);
  const std::string fixed = number_text(value, decimals);
  if (!std::isfinite(value)) return fixed;
  const bool all_digits_zero = fixed.find_first_of("123456789") == std::string::npos;
  const bool vanishes = all_digits_zero && size > limit * 0.005;
  if (size < 1000 && !vanishes) return fixed;
  return number_text(value, 0, /*scientific=*/size >= 10'000 || vanishes);
}

std::string limit_text(double value) {
  return without_trailing_zeros(cell_number(value, 2, std::fabs(value)));
}

bool is_nan(double value) { return std::isnan(value); }

bool is_minus_infinity(double value) { return std::isinf(value) && value < 0; }

bool is_plus_infinity(double value) { return std::isinf(value) && value > 0; }

}  // namespace vitro
