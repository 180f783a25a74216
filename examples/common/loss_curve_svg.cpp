// Charts as SVG pictures. For the terminal see loss_curve.cpp.
#include <array>
#include <cmath>

#include "tensor/pictures/glyphs.h"
#include "tensor/pictures/svg.h"
#include "tensor/print.h"

#include "examples/common/chart_range.h"
#include "examples/common/loss_curve.h"

namespace vitro::examples {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 376;
constexpr double kLeft = 58;
constexpr double kRight = 620;
constexpr double kTop = 72;
constexpr double kBottom = 328;

// Blue and orange as in the heat maps, then two that differ in lightness as well.
constexpr std::array<const char*, 4> kColors = {"#2f7fc1", "#c9690c", "#4d9e6a", "#9b6bb3"};

constexpr const char* kStyle =
    ".curve{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".level{fill:none;stroke:#656d76;stroke-width:1.2;stroke-dasharray:5 4}";

double x_of(const ChartRange& range, double x) {
  return kLeft + range.across(x) * (kRight - kLeft);
}

double y_of(const ChartRange& range, double y) { return kBottom - range.up(y) * (kBottom - kTop); }

std::string tick_text(double value) {
  const double size = std::fabs(value);
  if (size >= 1e6 || (size > 0 && size < 0.01)) return number_text(value, 0, /*scientific=*/true);
  return svg_number(value);
}

std::string horizontal(const char* css_class, double y) {
  return svg_element(
      "path",
      {{"class", css_class},
       {"d", join_text({"M", svg_number(kLeft), " ", svg_number(y), "H", svg_number(kRight)})}});
}

std::string scales(const ChartRange& range, const std::string& x_axis) {
  std::string text;
  for (const double tick : round_ticks(range.low_y, range.high_y, 5)) {
    const double y = y_of(range, tick);
    text += horizontal("line", y);
    text += svg_text(kLeft - 8, y + 4, "small quiet", "end", tick_text(tick));
  }
  for (const double tick : round_ticks(range.low_x, range.high_x, 6)) {
    text += svg_text(x_of(range, tick), kBottom + 18, "small quiet", "middle", tick_text(tick));
  }
  return text + svg_text((kLeft + kRight) / 2, kBottom + 38, "label quiet", "middle", x_axis);
}

// A new stroke after each gap.
std::string path_of(const Curve& curve, const ChartRange& range) {
  std::string path;
  bool pen_is_down = false;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const bool is_number = is_drawable(curve.x[i]) && is_drawable(curve.y[i]);
    if (is_number) {
      path += join_text({pen_is_down ? "L" : "M", svg_number(x_of(range, curve.x[i])), " ",
                         svg_number(y_of(range, curve.y[i]))});
    }
    pen_is_down = is_number;
  }
  return path;
}

// Names with their colours, above the chart.
std::string legend(const Chart& chart) {
  std::string text;
  double left = kLeft;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const std::string name = visible_text(chart.curves[i].name, 20);
    text += svg_element("rect", {{"x", svg_number(left)},
                                 {"y", "46"},
                                 {"width", "16"},
                                 {"height", "3"},
                                 {"rx", "1.5"},
                                 {"fill", kColors[i % kColors.size()]}});
    text += svg_text(left + 22, 52, "label ink", "start", name);
    left += static_cast<double>(display_width(name)) * 7 + 46;
  }
  return text;
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  const ChartRange range = chart_range(chart);
  std::string body = svg_text(kLeft - 34, 30, "title ink", "start", chart.title);
  body += scales(range, chart.x_axis);
  for (const Level& level : chart.levels) {
    if (!is_drawable(level.y)) continue;
    const double y = y_of(range, level.y);
    body += horizontal("level", y);
    body += svg_text(kRight, y + 15, "small quiet", "end",
                     level.name + " = " + number_text(level.y, 4));
  }
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    body += svg_element("path", {{"class", "curve"},
                                 {"stroke", kColors[i % kColors.size()]},
                                 {"d", path_of(chart.curves[i], range)}});
  }
  body += legend(chart);
  const std::string title = chart.title.empty() ? "Chart" : chart.title;
  return svg_document(kWidth, kHeight, title, kStyle, body);
}

}  // namespace vitro::examples
