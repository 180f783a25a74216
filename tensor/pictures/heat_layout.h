// Where the parts of a heat map's SVG picture go.
#pragma once

#include <string>

#include "tensor/pictures/heat_cells.h"

namespace vitro {

/// Sizes and places in pixels.
struct HeatLayout {
  bool shows_numbers = false;  ///< in the cells
  bool slants_labels = false;  ///< of the columns, where they are wider than the cells
  double cell_width = 0;
  double cell_height = 0;
  double number_size = 0;  ///< of the letters in the cells
  double left = 0;         ///< of the grid
  double top = 0;
  double grid_width = 0;
  double grid_height = 0;
  double width = 0;  ///< of the picture
  double height = 0;

  static constexpr double kMargin = 20;
  static constexpr double kTitleHeight = 26;
  static constexpr double kLegendWidth = 180;
  static constexpr Index kMaxSize = 128;  ///< rows and columns of cells
};

HeatLayout heat_layout(const HeatCells& cells, const HeatmapOptions& options);

/// What is said beside the colour scale: how cells without a number are marked.
std::string legend_note(const HeatCells& cells);

}  // namespace vitro
