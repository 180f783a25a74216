// The history as text and as Graphviz.
#include "autograd/graph.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/context.h"
#include "tensor/create.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

Index lines_of(const std::string& text) {
  return static_cast<Index>(std::count(text.begin(), text.end(), '\n'));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GraphText, ReadsLikeAProgramAndShowsASharedNodeOnce) {
  const Variable w = parameter(ones({2, 3}), "w");
  const int line = __LINE__ + 2;
  const Variable h = tanh(w);
  const Variable y = sum(softmax(h * h, -1) * Scalar(2));
  const std::string at = " at autograd/graph_test.cpp:" + std::to_string(line) + "\n";
  EXPECT_EQ(graph_text(y),
            "%0 = parameter 'w'           [2, 3]\n"
            "%1 = tanh(%0)                [2, 3] at autograd/graph_test.cpp:" +
                std::to_string(line - 1) +
                "\n"
                "%2 = multiply(%1, %1)        [2, 3]" +
                at + "%3 = softmax(%2) axis=-1     [2, 3]" + at +
                "%4 = constant 2              []\n"
                "%5 = multiply(%3, %4)        [2, 3]" +
                at + "%6 = sum(%5) axes=all keep=0 []" + at);
}

TEST(GraphText, NamesTheModule) {
  context().module_path = std::make_shared<const std::string>("model.head");
  const Variable y = parameter(ones({2})) * Scalar(3);
  context().module_path = nullptr;
  EXPECT_TRUE(has(graph_text(y), " in model.head\n")) << graph_text(y);
}

TEST(GraphText, SaysWhereHistoryIsMissing) {
  const Variable w = parameter(ones({2}), "w");
  const Variable y = sum(w);
  y.backward();
  EXPECT_TRUE(has(graph_text(y), "(history used by backward)")) << graph_text(y);
  const NoGrad no_grad;
  EXPECT_TRUE(has(graph_text(sum(w)), "(no history kept)"));
}

TEST(GraphText, LeavesTheFarEndOut) {
  Variable y = parameter(ones({1}), "x");
  for (int i = 0; i < 100; ++i) y = tanh(y);
  const std::string text = graph_text(y, {10});
  EXPECT_EQ(lines_of(text), 11);
  EXPECT_EQ(text.find("… 91 nodes farther from the result left out\n%91 = tanh(%90)"), 0u) << text;
  EXPECT_FALSE(has(graph_text(y, {101}), "left out"));
  EXPECT_TRUE(has(graph_text(y, {100}), "… 1 node farther"));
}

TEST(GraphText, ShortensLongInputLists) {
  const Variable w = parameter(ones({1}));
  const Variable y = cat(std::vector<Operand>(5000, w), 0);
  EXPECT_TRUE(has(graph_text(y), "%0, … 4992 more) axis=0")) << graph_text(y).substr(0, 300);
}

TEST(GraphDot, EscapesLabelsAndIsTheSameEveryTime) {
  const Variable w = parameter(ones({2}), "a \"b\" \\ c\nd");
  const Variable y = w * w;
  const std::string dot = graph_dot(y);
  EXPECT_EQ(dot.find("digraph history {\n"), 0u);
  EXPECT_TRUE(has(dot, "  n0 [label=\"parameter 'a \\\"b\\\" \\\\ c\\nd'\\n[2]")) << dot;
  EXPECT_TRUE(has(dot, "  n0 -> n1;\n  n0 -> n1;\n}\n")) << dot;
  EXPECT_EQ(dot, graph_dot(y));
}

TEST(GraphDot, LeavesTheFarEndOut) {
  Variable y = parameter(ones({1}), "x");
  for (int i = 0; i < 100; ++i) y = y * y;
  const std::string dot = graph_dot(y, {3});
  EXPECT_TRUE(has(dot, "left_out [shape=note, label=\"98 nodes")) << dot;
  EXPECT_TRUE(has(dot, "  left_out -> n98;\n  n99 [")) << dot;
}

// The x of the box whose title starts with `name`.
double box_x(const std::string& svg, const std::string& name) {
  const std::size_t title = svg.find("<title>" + name);
  EXPECT_NE(title, std::string::npos) << name;
  return std::stod(svg.substr(svg.find("<rect x=\"", title) + 9));
}

TEST(GraphSvg, EachNodeStandsAfterItsInputs) {
  const Variable a = parameter(ones({2}), "a");
  const Variable late = parameter(ones({2}), "late");
  const Variable y = sum(tanh(a * a) + late);
  const std::string svg = graph_svg(y);
  const std::vector<std::string> chain{"parameter &#39;a&#39;", "multiply", "tanh", "add", "sum"};
  for (std::size_t i = 1; i < chain.size(); ++i) {
    EXPECT_LT(box_x(svg, chain[i - 1]), box_x(svg, chain[i]));
  }
  EXPECT_EQ(box_x(svg, "parameter &#39;late&#39;"), box_x(svg, "tanh"));  // before its use
  EXPECT_EQ(svg, graph_svg(y));
  EXPECT_EQ(svg.find("<svg "), 0u);
}

TEST(GraphSvg, NamesAreTextAndFarNodesAreCounted) {
  Variable y = parameter(ones({1}), "<script>&");
  EXPECT_TRUE(has(graph_svg(y * y), "&lt;script&gt;&amp;"));
  for (int i = 0; i < 100; ++i) y = y * y;
  EXPECT_TRUE(has(graph_svg(y, {3}), "98 nodes farther from the result left out"));
}

TEST(Graph, RefusesWhatCannotBeShown) {
  EXPECT_THROW(graph_text(Variable()), std::logic_error);
  EXPECT_THROW(graph_dot(Variable()), std::logic_error);
  EXPECT_EQ(test::message_of<std::invalid_argument>([] { graph_svg(parameter(ones({1})), {0}); }),
            "graph_svg: max_nodes is 0; it must be 1 or more");
  EXPECT_NO_THROW(graph_text(parameter(ones({1})), {std::numeric_limits<Index>::max()}));
}

}  // namespace
}  // namespace vitro
