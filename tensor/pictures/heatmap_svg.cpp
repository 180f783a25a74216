// Heat maps as SVG pictures. For the terminal see heatmap.cpp.
#include <algorithm>
#include <cstddef>

#include "tensor/pictures/heat_cells.h"
#include "tensor/pictures/heat_layout.h"
#include "tensor/pictures/heatmap.h"
#include "tensor/pictures/svg.h"

namespace vitro {
namespace {

constexpr Index kMaxTooltips = 4096;
constexpr Index kMaxLabelWidth = 24;

constexpr const char* kStyle =
    ".number{font-variant-numeric:tabular-nums;text-anchor:middle}.faint{fill-opacity:.4}"
    ".dark{fill:#1c1c1c}.light{fill:#ffffff}.cross{stroke:#57606a;stroke-width:1.2}";

std::string color_text(const Rgb& color) { return svg_color(color.red, color.green, color.blue); }

class SvgMap {
 public:
  SvgMap(const HeatCells& cells, const HeatmapOptions& options)
      : cells_(cells), options_(options), layout_(heat_layout(cells, options)) {}

  std::string run() const {
    std::string body = definitions() + headings();
    for (Index row = 0; row < cells_.row_count; ++row) {
      for (Index column = 0; column < cells_.column_count; ++column) body += cell(row, column);
    }
    body += svg_element("rect", {{"class", "line"},
                                 {"x", svg_number(layout_.left)},
                                 {"y", svg_number(layout_.top)},
                                 {"width", svg_number(layout_.grid_width)},
                                 {"height", svg_number(layout_.grid_height)}});
    body += labels() + legend();
    const std::string title = options_.title.empty() ? "Heat map" : options_.title;
    const std::string size = ".number{font-size:" + svg_number(layout_.number_size) + "px}";
    return svg_document(layout_.width, layout_.height, title, kStyle + size, body);
  }

 private:
  // Every label that is too dense to read makes room for its neighbours.
  static Index label_step(double cell_size) {
    return std::max<Index>(1, static_cast<Index>(13 / cell_size + 0.999));
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
      text += svg_text(HeatLayout::kMargin, HeatLayout::kMargin + 13, "title ink", "start",
                       options_.title);
    }
    if (!options_.column_axis.empty()) {
      const double y =
          HeatLayout::kMargin + (options_.title.empty() ? 0 : HeatLayout::kTitleHeight) + 12;
      text += svg_text(layout_.left + layout_.grid_width / 2, y, "label quiet", "middle",
                       options_.column_axis + " →");
    }
    if (!options_.row_axis.empty()) {
      const std::string x = svg_number(HeatLayout::kMargin + 10);
      const std::string y = svg_number(layout_.top + layout_.grid_height / 2);
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
    const double x = layout_.left + layout_.cell_width * static_cast<double>(column);
    const double y = layout_.top + layout_.cell_height * static_cast<double>(row);
    const bool hatched = is_minus_infinity(value);
    const Rgb color =
        is_nan(value) || hatched ? Rgb{0xd8, 0xdc, 0xe0} : heat_color(value / cells_.limit);
    std::string text = svg_element("rect",
                                   {{"x", svg_number(x)},
                                    {"y", svg_number(y)},
                                    {"width", svg_number(layout_.cell_width)},
                                    {"height", svg_number(layout_.cell_height)},
                                    {"fill", hatched ? "url(#hatch)" : color_text(color)}},
                                   tooltip(row, column));
    if (is_nan(value)) text += cross(x, y, layout_.cell_width, layout_.cell_height);
    if (layout_.shows_numbers && !is_nan(value) && !hatched) text += number(value, x, y);
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
        {{"x", svg_number(x + layout_.cell_width / 2)},
         {"y", svg_number(y + layout_.cell_height / 2 + layout_.number_size * 0.36)},
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
    const auto name = [](const std::string& axis, const std::vector<std::string>& labels,
                         Index block, Index i) {
      std::string place = TextPiece(static_cast<long long>(i * block)).text();
      const std::string label = labels.empty() ? place : labels[static_cast<std::size_t>(i)];
      if (label != place) place += " " + label;
      return axis.empty() ? place : axis + " " + place;
    };
    const std::string text =
        join_text({name(options_.row_axis, cells_.row_labels, cells_.row_block, row), ", ",
                   name(options_.column_axis, cells_.column_labels, cells_.column_block, column),
                   ": ", cell_number(cells_.at(row, column), 4, cells_.limit)});
    return "<title>" + xml_text(text) + "</title>";
  }

  std::string labels() const {
    std::string text;
    const auto row_count = static_cast<Index>(cells_.row_labels.size());
    for (Index row = 0; row < row_count; row += label_step(layout_.cell_height)) {
      const double y = layout_.top + layout_.cell_height * (static_cast<double>(row) + 0.5) + 4;
      text += svg_text(layout_.left - 8, y, "label ink", "end",
                       cells_.row_labels[static_cast<std::size_t>(row)]);
    }
    const auto column_count = static_cast<Index>(cells_.column_labels.size());
    for (Index column = 0; column < column_count; column += label_step(layout_.cell_width)) {
      text += column_label(column);
    }
    return text;
  }

  std::string column_label(Index column) const {
    const std::string& label = cells_.column_labels[static_cast<std::size_t>(column)];
    const double x = layout_.left + layout_.cell_width * (static_cast<double>(column) + 0.5);
    if (!layout_.slants_labels) return svg_text(x, layout_.top - 8, "label ink", "middle", label);
    const std::string place = svg_number(x) + " " + svg_number(layout_.top - 8);
    return svg_element(
        "text", {{"class", "label ink"}, {"transform", "translate(" + place + ") rotate(-45)"}},
        xml_text(label));
  }

  std::string legend() const {
    const double y = layout_.top + layout_.grid_height + 22;
    const std::string low = limit_text(cells_.is_signed ? -cells_.limit : 0);
    const std::string high = limit_text(cells_.limit);
    const double bar = layout_.left + static_cast<double>(low.size()) * 6.6 + 8;
    return svg_text(layout_.left, y + 9, "small quiet", "start", low) +
           svg_element("rect", {{"x", svg_number(bar)},
                                {"y", svg_number(y)},
                                {"width", svg_number(HeatLayout::kLegendWidth)},
                                {"height", "10"},
                                {"rx", "2"},
                                {"fill", cells_.is_signed ? "url(#signed)" : "url(#weights)"}}) +
           svg_text(bar + HeatLayout::kLegendWidth + 8, y + 9, "small quiet", "start",
                    high + legend_note(cells_));
  }

  const HeatCells& cells_;
  const HeatmapOptions& options_;
  const HeatLayout layout_;
};

}  // namespace

std::string heatmap_svg(const Tensor& x, const HeatmapOptions& options) {
  const HeatCells cells =
      heat_cells(x, options, HeatLayout::kMaxSize, kMaxLabelWidth, "heatmap_svg");
  return SvgMap(cells, options).run();
}

}  // namespace vitro
