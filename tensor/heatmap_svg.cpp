// Heat maps as SVG pictures. For the terminal see heatmap.cpp.
#include <algorithm>
#include <array>
#include <cstddef>

#include "tensor/glyphs.h"
#include "tensor/heat_cells.h"
#include "tensor/heatmap.h"
#include "tensor/print.h"
#include "tensor/svg.h"

namespace vitro {
namespace {

constexpr Index kMaxSize = 128;          // rows and columns
constexpr Index kMaxNumberColumns = 16;  // up to here the cells show their numbers
constexpr Index kMaxTooltips = 4096;
constexpr Index kMaxLabelWidth = 24;
constexpr double kMargin = 20;
constexpr double kLabelSize = 12;
constexpr double kLetterWidth = 7.4;  // of a label's letter, generously
constexpr double kLegendWidth = 180;

constexpr const char* kStyle =
    ".number{font-variant-numeric:tabular-nums;text-anchor:middle}.faint{fill-opacity:.4}"
    ".dark{fill:#1c1c1c}.light{fill:#ffffff}.cross{stroke:#57606a;stroke-width:1.2}";

std::string color_text(const Rgb& color) { return svg_color(color.red, color.green, color.blue); }

double label_width(const std::vector<std::string>& labels) {
  Index longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, display_width(label));
  return static_cast<double>(longest) * kLetterWidth;
}

class SvgMap {
 public:
  SvgMap(const HeatCells& cells, const HeatmapOptions& options)
      : cells_(cells),
        options_(options),
        shows_numbers_(cells.column_count <= kMaxNumberColumns && cells.row_count <= kMaxSize / 2 &&
                       block_note(cells).empty()) {
    const auto longest_side = static_cast<double>(std::max(cells.row_count, cells.column_count));
    cell_height_ = std::clamp(620 / std::max(longest_side, 1.0), 5.0, shows_numbers_ ? 34.0 : 24.0);
    cell_width_ = shows_numbers_ ? std::max(cell_height_, number_width()) : cell_height_;
    number_size_ = std::min(12.0, cell_height_ * 0.42);
    slanted_ = label_width(cells.column_labels) > cell_width_ - 4;
    place();
  }

  std::string run() const {
    std::string body = definitions() + headings();
    for (Index row = 0; row < cells_.row_count; ++row) {
      for (Index column = 0; column < cells_.column_count; ++column) body += cell(row, column);
    }
    body += svg_element("rect", {{"class", "line"},
                                 {"x", svg_number(left_)},
                                 {"y", svg_number(top_)},
                                 {"width", svg_number(grid_width())},
                                 {"height", svg_number(grid_height())}});
    body += labels() + legend();
    const std::string title = options_.title.empty() ? "Heat map" : options_.title;
    const std::string size = ".number{font-size:" + svg_number(number_size_) + "px}";
    return svg_document(width_, height_, title, kStyle + size, body);
  }

 private:
  double grid_width() const { return cell_width_ * static_cast<double>(cells_.column_count); }

  double grid_height() const { return cell_height_ * static_cast<double>(cells_.row_count); }

  double number_width() const {
    std::size_t longest = 0;
    for (const double value : cells_.values) {
      longest = std::max(longest, cell_number(value, options_.decimals, cells_.limit).size());
    }
    return static_cast<double>(longest) * 7.2 + 12;
  }

  // Every label that is too dense to read makes room for its neighbours.
  Index label_step() const {
    return std::max<Index>(1, static_cast<Index>(13 / cell_height_ + 0.999));
  }

  void place() {
    const double labels_width = label_width(cells_.column_labels);
    const double column_space =
        cells_.column_labels.empty() ? 0 : (slanted_ ? labels_width * 0.72 + 14 : 20);
    const double row_space = cells_.row_labels.empty() ? 0 : label_width(cells_.row_labels) + 10;
    left_ = kMargin + row_space + (options_.row_axis.empty() ? 0 : 18);
    top_ = kMargin + (options_.title.empty() ? 0 : 26) + (options_.column_axis.empty() ? 0 : 20) +
           column_space;
    const double slant_space = slanted_ ? labels_width * 0.72 : 0;
    const double title_width =
        kMargin + static_cast<double>(display_width(visible_text(options_.title))) * 8.6;
    width_ = std::max({left_ + std::max(grid_width(), kLegendWidth + 40) + slant_space, title_width,
                       legend_end()}) +
             kMargin;
    height_ = top_ + grid_height() + 58;
  }

  std::string definitions() const {
    std::string stops;
    const int first = cells_.is_signed ? -4 : 0;
    for (int stop = first; stop <= 4; ++stop) {
      stops += svg_element("stop", {{"offset", svg_number(double(stop - first) / (4 - first))},
                                    {"stop-color", color_text(heat_color(stop / 4.0))}});
    }
    const std::string lines =
        svg_element("rect", {{"width", "6"}, {"height", "6"}, {"fill", "#d8dce0"}}) +
        svg_element("path", {{"d", "M-1 1L1 -1M0 6L6 0M5 7L7 5"}, {"class", "cross"}});
    return "<defs>\n" +
           svg_element("linearGradient", {{"id", cells_.is_signed ? "signed" : "weights"}}, stops) +
           svg_element("pattern",
                       {{"id", "hatch"},
                        {"width", "6"},
                        {"height", "6"},
                        {"patternUnits", "userSpaceOnUse"}},
                       lines) +
           "</defs>\n";
  }

  std::string headings() const {
    std::string text;
    if (!options_.title.empty()) {
      text += svg_text(kMargin, kMargin + 13, "title ink", "start", options_.title);
    }
    if (!options_.column_axis.empty()) {
      const double y = kMargin + (options_.title.empty() ? 0 : 26) + 12;
      text += svg_text(left_ + grid_width() / 2, y, "label quiet", "middle",
                       options_.column_axis + " →");
    }
    if (!options_.row_axis.empty()) {
      const std::string x = svg_number(kMargin + 10);
      const std::string y = svg_number(top_ + grid_height() / 2);
      text += svg_element("text",
                          {{"x", x},
                           {"y", y},
                           {"class", "label quiet"},
                           {"text-anchor", "middle"},
                           {"transform", "rotate(-90 " + x + " " + y + ")"}},
                          "← " + xml_text(options_.row_axis));
    }
    return text;
  }

  // A rectangle with its tooltip, and what is drawn on it.
  std::string cell(Index row, Index column) const {
    const double value = cells_.at(row, column);
    const double x = left_ + cell_width_ * static_cast<double>(column);
    const double y = top_ + cell_height_ * static_cast<double>(row);
    const bool hatched = is_minus_infinity(value);
    const Rgb color =
        is_nan(value) || hatched ? Rgb{0xd8, 0xdc, 0xe0} : heat_color(value / cells_.limit);
    std::string text = svg_element("rect",
                                   {{"x", svg_number(x)},
                                    {"y", svg_number(y)},
                                    {"width", svg_number(cell_width_)},
                                    {"height", svg_number(cell_height_)},
                                    {"fill", hatched ? "url(#hatch)" : color_text(color)}},
                                   tooltip(row, column));
    if (is_nan(value)) text += cross(x, y, cell_width_, cell_height_);
    if (shows_numbers_ && !is_nan(value) && !hatched) text += number(value, x, y);
    return text;
  }

  // Numbers of almost no colour step back, so that the others stand out.
  std::string number(double value, double x, double y) const {
    const double fraction = value / cells_.limit;
    const bool faint = !cells_.is_signed && fraction < 0.05;
    const char* css_class = faint                            ? "number dark faint"
                            : is_light(heat_color(fraction)) ? "number dark"
                                                             : "number light";
    return svg_element(
        "text",
        {{"x", svg_number(x + cell_width_ / 2)},
         {"y", svg_number(y + cell_height_ / 2 + number_size_ * 0.36)},
         {"class", css_class}},
        is_plus_infinity(value) ? "∞" : cell_number(value, options_.decimals, cells_.limit));
  }

  static std::string cross(double x, double y, double width, double height) {
    const std::string x0 = svg_number(x + width * 0.25);
    const std::string x1 = svg_number(x + width * 0.75);
    const std::string y0 = svg_number(y + height * 0.25);
    const std::string y1 = svg_number(y + height * 0.75);
    return svg_element("path", {{"class", "cross"},
                                {"d", join_text({"M", x0, " ", y0, "L", x1, " ", y1, "M", x0, " ",
                                                 y1, "L", x1, " ", y0})}});
  }

  std::string tooltip(Index row, Index column) const {
    if (cells_.row_count * cells_.column_count > kMaxTooltips) return "";
    const auto name = [](const std::vector<std::string>& labels, Index block, Index i) {
      const std::string number = TextPiece(static_cast<long long>(i * block)).text();
      return labels.empty() ? number : number + " " + labels[static_cast<std::size_t>(i)];
    };
    const std::string text =
        join_text({name(cells_.row_labels, cells_.row_block, row), ", ",
                   name(cells_.column_labels, cells_.column_block, column), ": ",
                   cell_number(cells_.at(row, column), 4, cells_.limit)});
    return "<title>" + xml_text(text) + "</title>";
  }

  std::string labels() const {
    std::string text;
    for (Index row = 0; row < static_cast<Index>(cells_.row_labels.size()); row += label_step()) {
      const double y = top_ + cell_height_ * (static_cast<double>(row) + 0.5) + 4;
      text += svg_text(left_ - 8, y, "label ink", "end",
                       cells_.row_labels[static_cast<std::size_t>(row)]);
    }
    const auto column_count = static_cast<Index>(cells_.column_labels.size());
    for (Index column = 0; column < column_count; column += label_step()) {
      text += column_label(column);
    }
    return text;
  }

  std::string column_label(Index column) const {
    const std::string& label = cells_.column_labels[static_cast<std::size_t>(column)];
    const double x = left_ + cell_width_ * (static_cast<double>(column) + 0.5);
    if (!slanted_) return svg_text(x, top_ - 8, "label ink", "middle", label);
    const std::string place = svg_number(x) + " " + svg_number(top_ - 8);
    return svg_element(
        "text", {{"class", "label ink"}, {"transform", "translate(" + place + ") rotate(-45)"}},
        xml_text(label));
  }

  // What is said beside the colour bar: how cells without a number are marked.
  std::string legend_note() const {
    std::string note;
    if (cells_.has(is_nan)) note += " · × NaN";
    if (cells_.has(is_minus_infinity)) note += " · ▨ −∞ (masked)";
    const std::string blocks = block_note(cells_);
    return blocks.empty() ? note : note + " · " + blocks;
  }

  double legend_end() const {
    return left_ + 36 + kLegendWidth + 40 + static_cast<double>(display_width(legend_note())) * 6.2;
  }

  std::string legend() const {
    const double y = top_ + grid_height() + 22;
    const std::string low = limit_text(cells_.is_signed ? -cells_.limit : 0);
    const std::string high = limit_text(cells_.limit);
    const double bar = left_ + static_cast<double>(low.size()) * 6.6 + 8;
    return svg_text(left_, y + 9, "small quiet", "start", low) +
           svg_element("rect", {{"x", svg_number(bar)},
                                {"y", svg_number(y)},
                                {"width", svg_number(kLegendWidth)},
                                {"height", "10"},
                                {"rx", "2"},
                                {"fill", cells_.is_signed ? "url(#signed)" : "url(#weights)"}}) +
           svg_text(bar + kLegendWidth + 8, y + 9, "small quiet", "start", high + legend_note());
  }

  const HeatCells& cells_;
  const HeatmapOptions& options_;
  bool shows_numbers_;
  bool slanted_ = false;  // column labels
  double cell_width_ = 0;
  double cell_height_ = 0;
  double number_size_ = 0;
  double left_ = 0;  // of the grid
  double top_ = 0;
  double width_ = 0;  // of the picture
  double height_ = 0;
};

}  // namespace

std::string heatmap_svg(const Tensor& x, const HeatmapOptions& options) {
  const HeatCells cells = heat_cells(x, options, kMaxSize, kMaxLabelWidth, "heatmap_svg");
  return SvgMap(cells, options).run();
}

}  // namespace vitro
