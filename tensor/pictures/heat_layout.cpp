#include "tensor/pictures/heat_layout.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tensor/pictures/glyphs.h"

namespace vitro {
namespace {

constexpr Index kMaxNumberColumns = 16;  // up to here the cells show their numbers
constexpr double kLetterWidth = 7.4;     // of a label's letter, generously
constexpr double kSlant = 0.72;          // height and width of a label at 45 degrees

// Cells begin and end on whole pixels, so that no seam of the background shows between them.
double whole_pixels(double length) { return static_cast<double>(static_cast<Index>(length)); }

double text_width(const std::string& text, double letter_width) {
  return static_cast<double>(display_width(text)) * letter_width;
}

double label_width(const std::vector<std::string>& labels) {
  double longest = 0;
  for (const std::string& label : labels) {
    longest = std::max(longest, text_width(label, kLetterWidth));
  }
  return longest;
}

double number_width(const HeatCells& cells, Index decimals) {
  std::size_t longest = 0;
  for (const double value : cells.values) {
    longest = std::max(longest, cell_number(value, decimals, cells.limit).size());
  }
  return static_cast<double>(longest) * 7.2 + 12;
}

void size_cells(const HeatCells& cells, Index decimals, HeatLayout& layout) {
  const auto longest_side = static_cast<double>(std::max(cells.row_count, cells.column_count));
  layout.shows_numbers = cells.column_count <= kMaxNumberColumns &&
                         cells.row_count <= HeatLayout::kMaxSize / 2 && block_note(cells).empty();
  const double largest = layout.shows_numbers ? 34 : 24;
  layout.cell_height = whole_pixels(std::clamp(620 / std::max(longest_side, 1.0), 5.0, largest));
  layout.cell_width = layout.cell_height;
  if (layout.shows_numbers) {
    layout.cell_width = whole_pixels(std::max(layout.cell_height, number_width(cells, decimals)));
  }
  layout.number_size = std::min(12.0, layout.cell_height * 0.42);
  layout.grid_width = layout.cell_width * static_cast<double>(cells.column_count);
  layout.grid_height = layout.cell_height * static_cast<double>(cells.row_count);
}

}  // namespace

HeatLayout heat_layout(const HeatCells& cells, const HeatmapOptions& options) {
  HeatLayout layout;
  size_cells(cells, options.decimals, layout);
  const double columns_width = label_width(cells.column_labels);
  layout.slants_labels = columns_width > layout.cell_width - 4;
  const double slant = layout.slants_labels ? whole_pixels(columns_width * kSlant) : 0;

  layout.left = HeatLayout::kMargin + (options.row_axis.empty() ? 0 : 18);
  if (!cells.row_labels.empty()) layout.left += whole_pixels(label_width(cells.row_labels)) + 10;
  layout.top = HeatLayout::kMargin + (options.title.empty() ? 0 : HeatLayout::kTitleHeight) +
               (options.column_axis.empty() ? 0 : 20);
  if (!cells.column_labels.empty()) layout.top += layout.slants_labels ? slant + 14 : 20;

  const double grid_end = layout.left + layout.grid_width + slant;
  const double title_end = HeatLayout::kMargin + text_width(visible_text(options.title), 8.6);
  const double legend_end =
      layout.left + HeatLayout::kLegendWidth + 76 + text_width(legend_note(cells), 6.2);
  layout.width = std::max({grid_end, title_end, legend_end}) + HeatLayout::kMargin;
  layout.height = layout.top + layout.grid_height + 58;
  return layout;
}

std::string legend_note(const HeatCells& cells) {
  std::string note;
  if (cells.has(is_nan)) note += " · × NaN";
  if (cells.has(is_minus_infinity)) note += " · ▨ −∞ (masked)";
  const std::string blocks = block_note(cells);
  return blocks.empty() ? note : note + " · " + blocks;
}

}  // namespace vitro
