#include "tensor/pictures/heatmap.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "tensor/create.h"
#include "tensor/pictures/glyphs.h"
#include "tensor/pictures/heat_cells.h"
#include "tensor/pictures/svg.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

namespace vitro {
namespace {

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
constexpr Scalar kNan = std::numeric_limits<Scalar>::quiet_NaN();

Index count_of(const std::string& text, const std::string& part) {
  Index count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    count += 1;
  }
  return count;
}

TEST(HeatmapText, ShowsNumbersWithShadesWithoutColor) {
  const Tensor x({2, 3}, {Scalar(0.5), -1, 0, 1, Scalar(0.25), -kInfinity});
  const HeatmapOptions options{.title = "Scores",
                               .row_axis = "query",
                               .column_axis = "key",
                               .row_labels = {"How", "you"},
                               .column_labels = {"a", "b", "c"}};
  EXPECT_EQ(heatmap_text(x, options),
            "Scores\n"
            "    down: query, across: key\n"
            "          a       b       c\n"
            "How   0.50*  -1.00@   0.00. \n"
            "you   1.00@   0.25:   -inf  \n"
            "    scale: -1 -@-#-*-=-: .+:+=+*+#+@ 1\n");
}

// The signs are in the text itself: without colour x and -x still differ.
TEST(HeatmapText, LargeMapsShowSignsAndShades) {
  Tensor x = zeros({2, 13});
  x.set({0, 0}, 2);
  x.set({0, 1}, -2);
  x.set({0, 2}, Scalar(0.8));
  x.set({1, 0}, kNan);
  x.set({1, 1}, -kInfinity);
  x.set({1, 2}, kInfinity);
  EXPECT_EQ(heatmap_text(x),
            " +@-@+= . . . . . . . . . .\n"
            " ><//oo . . . . . . . . . .\n"
            " scale: -2 -@-#-*-=-: .+:+=+*+#+@ 2   >< NaN   // -inf   oo inf\n");
}

TEST(HeatmapText, WeightsHaveAScaleFromZeroToOne) {
  const std::string text = heatmap_text(softmax(identity(13), -1));
  EXPECT_NE(text.find("scale: 0  .::==**##@@ 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('-'), std::string::npos) << text;
}

TEST(HeatmapText, ColorsOnlyWhereAskedFor) {
  const Tensor x({1, 2}, {-1, 1});
  EXPECT_EQ(heatmap_text(x).find('\x1b'), std::string::npos);
  const std::string rich = heatmap_text(x, {}, TerminalColor::kTruecolor);
  EXPECT_NE(rich.find("\x1b[48;2;33;102;172m"), std::string::npos);  // #2166ac
  EXPECT_NE(rich.find("\x1b[48;2;179;88;6m"), std::string::npos);    // #b35806
  const std::string poor = heatmap_text(x, {}, TerminalColor::k256);
  EXPECT_NE(poor.find("\x1b[48;5;25m"), std::string::npos);
  EXPECT_EQ(poor.find(";2;"), std::string::npos);
  EXPECT_NE(rich.find("-1.00"), std::string::npos);  // the sign is printed, too
}

// A token may be anything. Nothing of it may reach the terminal as a command.
TEST(HeatmapText, LabelsCannotSendCommands) {
  const HeatmapOptions options{
      .title = "a\x1b]0;x\x07", .row_labels = {"\x1b[2J"}, .column_labels = {"\r\n"}};
  const std::string text = heatmap_text(ones({1, 1}), options);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_NE(text.find("\\u{1b}[2J"), std::string::npos) << text;
}

TEST(HeatmapText, LargeMatricesAreShownInBlocks) {
  Tensor x = zeros({130, 67});
  x.set({129, 66}, -7);
  const std::string text = heatmap_text(x);
  EXPECT_EQ(count_of(text, "\n"), 44 + 1);
  EXPECT_EQ(count_of(text, "-@"), 1 + 1);  // the cell and the scale
  EXPECT_NE(text.find("each cell is the largest of 3 x 2 entries"), std::string::npos) << text;
}

TEST(HeatmapText, NoEntryOfABlockIsLost) {
  Tensor x = full({130, 67}, -kInfinity);
  x.set({0, 0}, kNan);
  x.set({3, 0}, Scalar(-0.5));
  const HeatCells cells = heat_cells(x, {}, 64, 10, "test");
  EXPECT_TRUE(is_nan(cells.at(0, 0)));
  EXPECT_EQ(cells.at(1, 0), -0.5);
  EXPECT_TRUE(is_minus_infinity(cells.at(2, 0)));
}

TEST(Heatmap, AcceptsEmptyViewsAndAllEqual) {
  EXPECT_NO_THROW(heatmap_text(zeros({0, 3})));
  EXPECT_NO_THROW(heatmap_svg(zeros({3, 0})));
  EXPECT_NE(heatmap_svg(full({2, 2}, kNan)).find("NaN"), std::string::npos);
  const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(heatmap_text(transpose(x, 0, 1)), heatmap_text(Tensor({3, 2}, {1, 4, 2, 5, 3, 6})));
}

TEST(Heatmap, RefusesWrongRanksLabelsAndLimits) {
  EXPECT_THROW(heatmap_text(zeros({3})), ShapeError);
  EXPECT_THROW(heatmap_svg(zeros({1, 2, 3})), ShapeError);
  const HeatmapOptions labels{.row_labels = {"only one"}};
  try {
    heatmap_svg(zeros({3, 2}), labels);
    FAIL() << "one label for three rows was taken";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "heatmap_svg: there are 1 row labels for x [3, 2]; there must be none or 3");
  }
  EXPECT_THROW(heatmap_text(zeros({1, 1}), {.limit = -1}), std::invalid_argument);
  EXPECT_THROW(heatmap_text(zeros({1, 1}), {.limit = std::numeric_limits<double>::infinity()}),
               std::invalid_argument);
}

TEST(HeatmapSvg, IsTheSameBytesEachTimeAndHoldsItsNumbers) {
  const Tensor x = softmax(reshape(arange(15), {3, 5}), -1);
  const std::string svg = heatmap_svg(x, {.title = "Weights"});
  EXPECT_EQ(svg, heatmap_svg(x, {.title = "Weights"}));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(count_of(svg, ">0.64</text>"), 3);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(count_of(svg, "http"), 1) << "only the name space; nothing is fetched";
}

TEST(HeatmapSvg, TooltipsNameThePlaceOnce) {
  const HeatmapOptions options{.row_axis = "answer",
                               .column_axis = "looks at",
                               .row_labels = {"0", "1"},
                               .column_labels = {"How", "are", "you"}};
  const std::string svg = heatmap_svg(ones({2, 3}), options);
  EXPECT_EQ(count_of(svg, "<title>answer 1, looks at 2 you: 1.0000</title>"), 1) << svg;
}

TEST(HeatmapSvg, LabelsCannotBreakOut) {
  const HeatmapOptions options{.title = "</title><script>alert(1)</script>",
                               .row_labels = {"\"'&<>", "]]>\x01\x7f"},
                               .column_labels = {"<img>", "\xc3\x28"}};
  const std::string svg = heatmap_svg(zeros({2, 2}), options);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find("<img"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_NE(svg.find("&quot;&#39;&amp;&lt;&gt;"), std::string::npos);
  EXPECT_NE(svg.find("\\xc3("), std::string::npos);
}

TEST(HeatmapSvg, MarksWhatIsNoNumber) {
  const std::string svg = heatmap_svg(Tensor({1, 3}, {kNan, -kInfinity, kInfinity}));
  EXPECT_EQ(count_of(svg, "fill=\"url(#hatch)\""), 1);
  EXPECT_EQ(count_of(svg, "<path class=\"cross\""), 1);
  EXPECT_NE(svg.find("∞</text>"), std::string::npos);
}

// Cells with numbers are wider than they are high: columns have room where rows do not.
TEST(HeatmapSvg, LabelsAreLeftOutOnlyWhereTheyWouldTouch) {
  HeatmapOptions options{.column_labels = {"left", "right"}};
  for (int row = 0; row < 64; ++row) options.row_labels.push_back("r" + std::to_string(row));
  const std::string svg = heatmap_svg(ones({64, 2}), options);
  EXPECT_NE(svg.find(">right</text>"), std::string::npos);
  EXPECT_NE(svg.find(">r62</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">r63</text>"), std::string::npos);
}

TEST(HeatColor, EndsAreThePalettes) {
  const auto hex = [](const Rgb& color) { return svg_color(color.red, color.green, color.blue); };
  EXPECT_EQ(hex(heat_color(-1)), "#2166ac");
  EXPECT_EQ(hex(heat_color(0)), "#f7f7f7");
  EXPECT_EQ(hex(heat_color(1)), "#b35806");
  EXPECT_EQ(hex(heat_color(1e300)), "#b35806");
}

TEST(CellNumber, StaysShort) {
  EXPECT_EQ(cell_number(0, 2, 1), "0.00");
  EXPECT_EQ(cell_number(-0.004, 2, 1), "0.00");
  EXPECT_EQ(cell_number(0.00001, 2, 0.00002), "1e-05");
  EXPECT_EQ(cell_number(0.00001, 2, 1), "0.00");
  EXPECT_EQ(cell_number(-1234.5, 2, 1), "-1234");
  EXPECT_EQ(cell_number(3e38, 2, 3e38), "3e+38");
}

TEST(Glyphs, AreSafeAndVisible) {
  EXPECT_EQ(visible_text("How"), "How");
  EXPECT_EQ(visible_text(" "), "␣");
  EXPECT_EQ(visible_text("a b"), "a b");
  EXPECT_EQ(visible_text("\n"), "\\n");
  EXPECT_EQ(visible_text("\xe2\x80\xae"), "\\u{202e}");
  EXPECT_EQ(visible_text("\xff"), "\\xff");
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
  EXPECT_EQ(visible_text("\xc0\xaf"), "\\xc0\\xaf");           // '/' in two bytes
  EXPECT_EQ(visible_text("\xf0\x9f"), "\\xf0\\x9f");           // cut off
  EXPECT_EQ(visible_text("abcdef", 4), "abc…");
  EXPECT_EQ(visible_text("日本語", 4), "日…");
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);  // e and a combining accent
}

}  // namespace
}  // namespace vitro
