#include "examples/common/loss_curve.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/common/chart_range.h"

namespace vitro::examples {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Sparkline, GoesFromTheSmallestToTheLargest) {
  EXPECT_EQ(sparkline({7, 6, 5, 4, 3, 2, 1, 0}), "█▇▆▅▄▃▂▁");
  EXPECT_EQ(sparkline({1, kNan, 2, kInfinity}), "▁×█×");
  EXPECT_EQ(sparkline({3, 3}), "▁▁");
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(sparkline({5, 1, 5, 2, 5, 3}, 3), "▁▃▅");  // 1, 2, 3: the last of each share
}

TEST(ChartText, DrawsALineFromCornerToCorner) {
  const std::string text = chart_text({.curves = {{"loss", {0, 1}, {0, 8}}}}, 2, 2);
  // The range goes to 8.24; 4 dots across, 8 up.
  EXPECT_EQ(text, "    8.24 ┤⠀⡜\n    0.00 ┤⡜⠀\n");
}

TEST(ChartText, AcceptsNothingOneAndNoNumbers) {
  EXPECT_NO_THROW(chart_text({}));
  EXPECT_NO_THROW(chart_text({.curves = {{"a", {}, {}}}}));
  EXPECT_NO_THROW(chart_text({.curves = {{"a", {1}, {2}}}}, -5, 0));
  EXPECT_NO_THROW(chart_svg({.curves = {{"a", {1, 2}, {kNan, kInfinity}}}}));
  const Chart huge{.curves = {{"a", {1, 2, 3}, {-1e308, 1, 1e308}}}, .levels = {{"b", kNan}}};
  EXPECT_EQ(chart_svg(huge).find("nan"), std::string::npos);
  EXPECT_EQ(chart_text(huge).find("inf"), std::string::npos);
  EXPECT_EQ(sparkline({-1e308, 1, 1e308}), "×▁×");
  EXPECT_THROW(chart_text({.curves = {{"a", {1, 2}, {1}}}}), std::invalid_argument);
}

TEST(ChartSvg, BreaksTheLineAtGapsAndEscapesNames) {
  const Chart chart{.title = "<b>&",
                    .x_axis = "\"step\"",
                    .curves = {{"a<c", {1, 2, 3, 4, 5}, {1, 2, kNan, 2, 1}}},
                    .levels = {{"ln 10", 2.302585}}};
  const std::string svg = chart_svg(chart);
  EXPECT_EQ(svg, chart_svg(chart));
  const std::size_t path = svg.find("class=\"curve\"");
  ASSERT_NE(path, std::string::npos);
  const std::string curve = svg.substr(path, svg.find("/>", path) - path);
  EXPECT_EQ(std::count(curve.begin(), curve.end(), 'M'), 2) << curve;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;c"), std::string::npos);
  EXPECT_NE(svg.find("ln 10 = 2.3026"), std::string::npos);
}

TEST(RoundTicks, AreRound) {
  EXPECT_EQ(round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_ticks(1, 100, 6), (std::vector<double>{20, 40, 60, 80, 100}));
  EXPECT_EQ(round_ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_TRUE(round_ticks(1, 1, 4).empty());
  EXPECT_TRUE(round_ticks(0, kInfinity, 4).empty());
  EXPECT_FALSE(round_ticks(0, 1e-300, 4).empty());
}

TEST(ChartRange, HoldsAllCurvesAndLevels) {
  const ChartRange range =
      chart_range({.curves = {{"a", {3, 9}, {5, 6}}, {"b", {1}, {5.5}}}, .levels = {{"c", 7}}});
  EXPECT_EQ(range.low_x, 1);
  EXPECT_EQ(range.high_x, 9);
  EXPECT_EQ(range.low_y, 5);
  EXPECT_NEAR(range.high_y, 7.06, 1e-12);
}

}  // namespace
}  // namespace vitro::examples
