// What the two forms of a heat map share: the cells to show, their colours and their numbers.
#pragma once

#include <string>
#include <vector>

#include "tensor/pictures/heatmap.h"

namespace vitro {

struct Rgb {
  int red;
  int green;
  int blue;
};

/// The shown cells of a matrix. Where it is too large, a cell stands for a block of entries.
struct HeatCells {
  Index row_count = 0;
  Index column_count = 0;
  Index row_block = 1;  ///< entries that a cell stands for, down and across
  Index column_block = 1;
  std::vector<double> values;              ///< [row_count, column_count]
  std::vector<std::string> row_labels;     ///< safe to show; empty, or one a shown row
  std::vector<std::string> column_labels;  ///< the same for columns
  bool is_signed = true;
  double limit = 1;  ///< the magnitude of full colour, above 0

  double at(Index row, Index column) const {
    return values[static_cast<std::size_t>(row * column_count + column)];
  }

  bool has(bool (*test)(double)) const;
};

/// At most `max_size` rows and columns of cells. Labels longer than `label_width` are shortened.
/// Throws, opened by `function`, ShapeError for a wrong rank or number of labels, and
/// std::invalid_argument for a limit that is negative, infinite or NaN.
HeatCells heat_cells(const Tensor& x, const HeatmapOptions& options, Index max_size,
                     Index label_width, const char* function);

/// The colour of a fraction from -1 (blue) over 0 (near-white) to 1 (orange); cut off outside.
Rgb heat_color(double fraction);

/// Whether dark letters read better than light ones on this colour.
bool is_light(const Rgb& color);

/// "each cell is the largest of 4 x 2 entries", or nothing where each cell is one entry.
std::string block_note(const HeatCells& cells);

/// A cell's number, short: fixed digits, or an exponent where these would be too long, or all 0
/// although the number is no speck beside `limit`.
std::string cell_number(double value, Index decimals, double limit);

/// An end of the colour scale: as above, without trailing zeros.
std::string limit_text(double value);

bool is_nan(double value);
bool is_minus_infinity(double value);
bool is_plus_infinity(double value);

}  // namespace vitro
