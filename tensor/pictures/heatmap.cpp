// Heat maps for the terminal. For SVG see heatmap_svg.cpp.
#include "tensor/pictures/heatmap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tensor/pictures/glyphs.h"
#include "tensor/pictures/heat_cells.h"
#include "tensor/print.h"

namespace vitro {
namespace {

constexpr Index kMaxSize = 64;           // rows and columns
constexpr Index kMaxNumberColumns = 12;  // more numbers than this do not fit side by side
constexpr Index kMaxLabelWidth = 12;
constexpr Index kMaxCellWidth = 10;
constexpr int kTopShade = 5;
constexpr std::array<char, kTopShade + 1> kShades = {'.', ':', '=', '*', '#', '@'};
constexpr const char* kResetColor = "\x1b[0m";

std::string spaces(Index count) {
  return std::string(static_cast<std::size_t>(std::max<Index>(count, 0)), ' ');
}

std::string right_aligned(const std::string& text, Index width) {
  return spaces(width - display_width(text)) + text;
}

std::string without_trailing_spaces(const std::string& text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// xterm's 256 colours hold no even scale of their own: these come closest, from white to full.
constexpr std::array<int, 5> kXtermBlues = {255, 153, 110, 67, 25};
constexpr std::array<int, 5> kXtermOranges = {255, 223, 215, 172, 130};
constexpr int kXtermGrey = 250;
constexpr Rgb kGrey = {0xbc, 0xbc, 0xbc};

int xterm_color(double fraction) {
  const auto level = static_cast<std::size_t>(std::min(std::fabs(fraction), 1.0) * 4 + 0.5);
  return fraction < 0 ? kXtermBlues[level] : kXtermOranges[level];
}

// `text` on the colour of `fraction`; cells without a number are grey.
std::string painted(const std::string& text, double fraction, TerminalColor kind) {
  const bool grey = is_nan(fraction) || is_minus_infinity(fraction);
  const Rgb ground = grey ? kGrey : heat_color(fraction);
  const int ink = is_light(ground) ? 16 : 231;  // xterm's black and white
  std::string code;
  if (kind == TerminalColor::k256) {
    code = join_text({"5;", grey ? kXtermGrey : xterm_color(fraction)});
  } else {
    code = join_text({"2;", ground.red, ";", ground.green, ";", ground.blue});
  }
  return join_text({"\x1b[48;", code, "m\x1b[38;5;", ink, "m", text});
}

class TextMap {
 public:
  TextMap(const HeatCells& cells, const HeatmapOptions& options, TerminalColor color)
      : cells_(cells),
        options_(options),
        color_(color),
        shows_numbers_(cells.column_count <= kMaxNumberColumns && block_note(cells).empty()) {
    for (const std::string& label : cells.row_labels) {
      margin_ = std::max(margin_, display_width(label));
    }
    cell_width_ = shows_numbers_ ? number_width() : 2;
  }

  std::string run() const {
    std::string text;
    if (!options_.title.empty()) text += visible_text(options_.title) + "\n";
    text += axes_line() + column_label_lines();
    for (Index row = 0; row < cells_.row_count; ++row) text += row_line(row);
    return text + legend();
  }

 private:
  bool is_plain() const { return color_ == TerminalColor::kNone; }

  // Wide enough for every number and, up to a bound, for every column label.
  Index number_width() const {
    Index width = 3;
    for (const double value : cells_.values) {
      const auto length =
          static_cast<Index>(cell_number(value, options_.decimals, cells_.limit).size());
      width = std::max(width, length + (is_plain() ? 3 : 2));  // plain text adds the shade
    }
    for (const std::string& label : cells_.column_labels) {
      width = std::max(width, std::min(display_width(label) + 2, kMaxCellWidth));
    }
    return width;
  }

  std::string axes_line() const {
    if (options_.row_axis.empty() && options_.column_axis.empty()) return "";
    return spaces(margin_ + 1) +
           join_text({"down: ", visible_text(options_.row_axis),
                      ", across: ", visible_text(options_.column_axis), "\n"});
  }

  // Beside each other where they fit into the cells, else from top to bottom.
  std::string column_label_lines() const {
    Index longest = 0;
    Index tallest = 0;
    for (const std::string& label : cells_.column_labels) {
      longest = std::max(longest, display_width(label));
      tallest = std::max(tallest, static_cast<Index>(glyphs_of(label).size()));
    }
    if (longest == 0) return "";
    std::string text;
    if (longest < cell_width_) {
      text += spaces(margin_ + 1);
      for (const std::string& label : cells_.column_labels) text += cell_text(label);
      return without_trailing_spaces(text) + "\n";
    }
    for (Index line = 0; line < tallest; ++line) {
      text += spaces(margin_ + 1);
      for (const std::string& label : cells_.column_labels) {
        const std::vector<Glyph> glyphs = glyphs_of(label);
        const Index glyph = line - (tallest - static_cast<Index>(glyphs.size()));
        text += cell_text(glyph < 0 ? "" : glyphs[static_cast<std::size_t>(glyph)].text);
      }
      text = without_trailing_spaces(text) + "\n";
    }
    return text;
  }

  // Right-aligned; where there is room, one column stays free at the right.
  std::string cell_text(const std::string& text) const {
    const Index width = display_width(text);
    const Index right = shows_numbers_ && width + 2 <= cell_width_ ? 1 : 0;
    return spaces(cell_width_ - right - width) + text + spaces(right);
  }

  std::string row_line(Index row) const {
    const auto label = static_cast<std::size_t>(row);
    std::string text =
        right_aligned(cells_.row_labels.empty() ? "" : cells_.row_labels[label], margin_);
    text += " ";
    for (Index column = 0; column < cells_.column_count; ++column) {
      const double value = cells_.at(row, column);
      const std::string inside = cell_text(shows_numbers_ ? number_cell(value) : shade_cell(value));
      text += is_plain() ? inside : painted(inside, value / cells_.limit, color_);
    }
    return text + (is_plain() ? "\n" : std::string(kResetColor) + "\n");
  }

  int shade_of(double value) const {
    const double fraction = std::min(std::fabs(value / cells_.limit), 1.0);
    return static_cast<int>(fraction * kTopShade + 0.5);
  }

  std::string number_cell(double value) const {
    const std::string number = cell_number(value, options_.decimals, cells_.limit);
    if (!is_plain()) return number;
    const bool special = is_nan(value) || is_minus_infinity(value);
    return number + (special ? ' ' : kShades[static_cast<std::size_t>(shade_of(value))]);
  }

  // Two characters: the sign and the shade; weights show the shade twice.
  std::string shade_cell(double value) const {
    if (is_nan(value)) return "><";
    if (is_minus_infinity(value)) return "//";
    if (is_plus_infinity(value)) return "oo";
    const int level = shade_of(value);
    const char sign = value < 0 ? '-' : '+';
    if (!is_plain()) return cells_.is_signed && level > 0 ? std::string{' ', sign} : "  ";
    const char shade = kShades[static_cast<std::size_t>(level)];
    if (level == 0) return {' ', shade};
    return {cells_.is_signed || value < 0 ? sign : shade, shade};
  }

  std::string legend() const {
    std::string text = "scale: " + limit_text(cells_.is_signed ? -cells_.limit : 0) + " ";
    for (int level = cells_.is_signed ? -kTopShade : 0; level <= kTopShade; ++level) {
      const double value = cells_.limit * level / kTopShade;
      const std::string inside = shade_cell(value);
      text += is_plain() ? inside : painted(inside, value / cells_.limit, color_);
    }
    text += (is_plain() ? " " : std::string(kResetColor) + " ") + limit_text(cells_.limit);
    if (!shows_numbers_) {
      if (cells_.has(is_nan)) text += "   >< NaN";
      if (cells_.has(is_minus_infinity)) text += "   // -inf";
      if (cells_.has(is_plus_infinity)) text += "   oo inf";
    }
    const std::string note = block_note(cells_);
    return spaces(margin_ + 1) + text + (note.empty() ? "\n" : "   " + note + "\n");
  }

  const HeatCells& cells_;
  const HeatmapOptions& options_;
  TerminalColor color_;
  bool shows_numbers_;
  Index margin_ = 0;  // columns for row labels
  Index cell_width_ = 2;
};

}  // namespace

std::string heatmap_text(const Tensor& x, const HeatmapOptions& options, TerminalColor color) {
  const HeatCells cells = heat_cells(x, options, kMaxSize, kMaxLabelWidth, "heatmap_text");
  return TextMap(cells, options, color).run();
}

}  // namespace vitro
