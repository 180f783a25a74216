#include "autograd/graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "autograd/graph_history.h"

namespace vitro {
namespace {

constexpr std::size_t kMaxInputsShown = 8;  // of one node: a cat may have thousands

std::string inputs_text(const NumberedHistory& history, const Node& node) {
  if (node.inputs.empty()) return "";
  const std::size_t shown = std::min(node.inputs.size(), kMaxInputsShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += join_text({i == 0 ? "(%" : ", %", history.number_of(*node.inputs[i])});
  }
  if (shown < node.inputs.size()) text += join_text({", … ", node.inputs.size() - shown, " more"});
  return text + ")";
}

}  // namespace

std::string graph_text(const Variable& result, const GraphOptions& options) {
  result.shape();  // refuses an undefined Variable
  const NumberedHistory history(*result.shared_node(), options, "graph_text");
  std::vector<std::string> heads;
  std::size_t width = 0;
  for (Index i = history.first_shown(); i < history.count(); ++i) {
    const Node& node = history.node(i);
    heads.push_back(join_text({"%", i, " = ", kind_text(node), inputs_text(history, node),
                               name_text(node), attributes_text(node)}));
    width = std::max(width, std::min<std::size_t>(heads.back().size(), 60));
  }
  std::string text;
  if (history.first_shown() > 0) text += "… " + left_out_text(history) + "\n";
  for (Index i = history.first_shown(); i < history.count(); ++i) {
    const Node& node = history.node(i);
    std::string& head = heads[static_cast<std::size_t>(i - history.first_shown())];
    head.resize(std::max(head.size(), width), ' ');
    text += join_text(
        {head, " ", node.value.shape(), missing_history_text(node), place_text(node), "\n"});
  }
  return text;
}

std::string graph_dot(const Variable& result, const GraphOptions& options) {
  result.shape();  // refuses an undefined Variable
  const NumberedHistory history(*result.shared_node(), options, "graph_dot");
  std::string text = "digraph history {\n  rankdir=BT;\n  node [shape=box];\n";
  if (history.first_shown() > 0) {
    text += "  left_out [shape=note, label=\"" + left_out_text(history) + "\"];\n";
  }
  for (Index i = history.first_shown(); i < history.count(); ++i) {
    const Node& node = history.node(i);
    const char* look = node.operation != nullptr ? "" : ", style=filled, fillcolor=lightgray";
    text += join_text({"  n", i, " [label=\"", kind_text(node), name_text(node),
                       attributes_text(node), "\\n", node.value.shape(), missing_history_text(node),
                       "\\n", place_text(node), "\"", look, "];\n"});
    bool from_left_out = false;
    for (const auto& input : node.inputs) {
      const Index number = history.number_of(*input);
      if (number >= history.first_shown()) {
        text += join_text({"  n", number, " -> n", i, ";\n"});
      } else if (!std::exchange(from_left_out, true)) {
        text += join_text({"  left_out -> n", i, ";\n"});
      }
    }
  }
  return text + "}\n";
}

}  // namespace vitro
