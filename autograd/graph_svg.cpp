// The history as a picture: nodes in columns, each after its inputs.
#include <algorithm>
#include <map>

#include "tensor/pictures/glyphs.h"
#include "tensor/pictures/svg.h"

#include "autograd/graph.h"
#include "autograd/graph_history.h"

namespace vitro {
namespace {

constexpr double kBoxWidth = 150;
constexpr double kBoxHeight = 46;
constexpr double kColumnStep = 200;
constexpr double kRowStep = 62;
constexpr double kMargin = 24;

/// Where each shown node goes: its column, and its place in it from the top.
class Layers {
 public:
  explicit Layers(const NumberedHistory& history) : history_(history) {
    for (Index i = first(); i < history.count(); ++i) columns_[i] = column_after_inputs(i);
    move_leaves();
    for (const auto& [node, column] : columns_) members_[column].push_back(node);
    sort_members();
  }

  double x(Index node) const {
    return kMargin + kColumnStep * static_cast<double>(columns_.at(node));
  }

  // Columns are centred, so that a chain is a straight line.
  double y(Index node) const {
    const std::vector<Index>& column = members_.at(columns_.at(node));
    const auto place = std::find(column.begin(), column.end(), node) - column.begin();
    const double top = (tallest() - static_cast<double>(column.size())) / 2;
    return kMargin + kRowStep * (top + static_cast<double>(place));
  }

  double width() const {
    return 2 * kMargin + kBoxWidth + kColumnStep * static_cast<double>(members_.rbegin()->first);
  }

  double height() const { return 2 * kMargin + kRowStep * tallest(); }

 private:
  Index first() const { return history_.first_shown(); }

  std::vector<Index> inputs_of(Index node) const {
    std::vector<Index> shown;
    for (const auto& input : history_.node(node).inputs) {
      const Index number = history_.number_of(*input);
      if (number >= first()) shown.push_back(number);
    }
    return shown;
  }

  Index column_after_inputs(Index node) const {
    Index column = 0;
    for (const Index input : inputs_of(node)) column = std::max(column, columns_.at(input) + 1);
    return column;
  }

  // Leaves stand right before their first use, so that edges are short.
  void move_leaves() {
    std::map<Index, Index> first_use;
    for (Index i = first(); i < history_.count(); ++i) {
      for (const Index input : inputs_of(i)) {
        const auto [place, is_new] = first_use.emplace(input, columns_[i]);
        if (!is_new) place->second = std::min(place->second, columns_[i]);
      }
    }
    for (const auto& [node, use] : first_use) {
      if (inputs_of(node).empty()) columns_[node] = use - 1;
    }
  }

  // From the result back, each column in the order of what its nodes lead to: few edges cross.
  void sort_members() {
    std::map<Index, double> wanted;
    for (auto column = members_.rbegin(); column != members_.rend(); ++column) {
      std::vector<Index>& nodes = column->second;
      std::stable_sort(nodes.begin(), nodes.end(),
                       [&wanted](Index a, Index b) { return wanted[a] < wanted[b]; });
      for (std::size_t place = 0; place < nodes.size(); ++place) {
        const std::vector<Index> inputs = inputs_of(nodes[place]);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const double share = static_cast<double>(i) / static_cast<double>(inputs.size());
          wanted.emplace(inputs[i], static_cast<double>(place) + share);
        }
      }
    }
  }

  double tallest() const {
    std::size_t most = 1;
    for (const auto& [column, nodes] : members_) most = std::max(most, nodes.size());
    return static_cast<double>(most);
  }

  const NumberedHistory& history_;
  std::map<Index, Index> columns_;
  std::map<Index, std::vector<Index>> members_;
};

std::string edge(const Layers& layers, Index from, Index to) {
  const double x1 = layers.x(from) + kBoxWidth;
  const double y1 = layers.y(from) + kBoxHeight / 2;
  const double x2 = layers.x(to);
  const double y2 = layers.y(to) + kBoxHeight / 2;
  const double bend = std::max(20.0, (x2 - x1) / 2);
  std::string path = "M";
  for (const double number : {x1, y1}) path += svg_number(number) + " ";
  path += "C";
  for (const double number : {x1 + bend, y1, x2 - bend, y2, x2 - 4, y2}) {
    path += svg_number(number) + " ";
  }
  return svg_element("path", {{"d", path}, {"class", "line edge"}, {"marker-end", "url(#arrow)"}});
}

std::string box(const Layers& layers, const Node& node, Index number) {
  const double x = layers.x(number);
  const double y = layers.y(number);
  const bool is_leaf = node.operation == nullptr;
  const std::string title = kind_text(node) + name_text(node);
  const std::string tooltip =
      svg_element("title", {}, xml_text(title + attributes_text(node) + place_text(node)));
  return svg_element(
      "g", {},
      tooltip +
          svg_element("rect", {{"x", svg_number(x)},
                               {"y", svg_number(y)},
                               {"width", svg_number(kBoxWidth)},
                               {"height", svg_number(kBoxHeight)},
                               {"rx", is_leaf ? "20" : "5"},
                               {"class", "line box"}}) +
          svg_text(x + kBoxWidth / 2, y + 19, "label ink", "middle", visible_text(title, 22)) +
          svg_text(x + kBoxWidth / 2, y + 36, "small quiet", "middle",
                   node.value.shape().to_string() + missing_history_text(node)));
}

constexpr const char* kArrow =
    "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"7\" "
    "markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 "
    "8z\"/></marker></defs>\n";

}  // namespace

std::string graph_svg(const Variable& result, const GraphOptions& options) {
  result.shape();  // refuses an undefined Variable
  const NumberedHistory history(*result.shared_node(), options, "graph_svg");
  const Layers layers(history);
  std::string edges;
  std::string boxes;
  for (Index i = history.first_shown(); i < history.count(); ++i) {
    const Node& node = history.node(i);
    boxes += box(layers, node, i);
    for (const auto& input : node.inputs) {
      const Index number = history.number_of(*input);
      if (number >= history.first_shown()) edges += edge(layers, number, i);
    }
  }
  const std::string title = "The history of " + kind_text(*result.shared_node());
  std::string note;
  if (history.first_shown() > 0) {
    note = svg_text(kMargin, 16, "small quiet", "start", left_out_text(history));
  }
  return svg_document(layers.width(), layers.height(), title,
                      ".edge{fill:none}.box{fill:none}.tip{fill:#808890}",
                      kArrow + edges + boxes + note);
}

}  // namespace vitro
