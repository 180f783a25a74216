#include "autograd/graph.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/print.h"

namespace vitro {
namespace {

constexpr std::size_t kMaxInputsShown = 8;  // of one node: a cat may have thousands

// Every node below a result, inputs before what was computed from them (post-order), numbered in
// that order. A loop with its own stack: history may be very long.
class NumberedHistory {
 public:
  NumberedHistory(const Node& result, const GraphOptions& options) {
    check_size(options.max_nodes, "graph", "max_nodes");
    collect(result);
    first_shown_ = std::max<Index>(0, count() - options.max_nodes);
  }

  Index count() const { return static_cast<Index>(nodes_.size()); }

  /// Nodes below this number are left out.
  Index first_shown() const { return first_shown_; }

  const Node& node(Index number) const { return *nodes_[static_cast<std::size_t>(number)]; }

  Index number_of(const Node& node) const { return numbers_.at(&node); }

 private:
  struct Visit {
    const Node* node;
    std::size_t next_input;
  };

  void collect(const Node& result) {
    constexpr Index kNotYet = -1;
    std::vector<Visit> open{{&result, 0}};
    numbers_.emplace(&result, kNotYet);
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.next_input == visit.node->inputs.size()) {
        numbers_[visit.node] = count();
        nodes_.push_back(visit.node);
        open.pop_back();
        continue;
      }
      const Node* input = visit.node->inputs[visit.next_input++].get();
      if (numbers_.emplace(input, kNotYet).second) open.push_back({input, 0});
    }
  }

  std::vector<const Node*> nodes_;
  std::unordered_map<const Node*, Index> numbers_;
  Index first_shown_ = 0;
};

// Text inside quotes, on one line: for names that people give.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    if (letter == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(letter) < ' ') {
      result += ' ';
    } else {
      result += letter;
    }
  }
  return result;
}

// The last folder and the file: enough to find it.
std::string short_path(std::string_view path) {
  const std::size_t file = path.find_last_of("/\\");
  if (file == std::string_view::npos || file == 0) return std::string(path);
  const std::size_t folder = path.find_last_of("/\\", file - 1);
  return std::string(folder == std::string_view::npos ? path : path.substr(folder + 1));
}

struct AttributeText {
  std::string operator()(Index number) const { return join_text({number}); }

  std::string operator()(double number) const { return join_text({number}); }

  std::string operator()(const Shape& shape) const { return shape.to_string(); }

  std::string operator()(const std::string& text) const { return escaped(text); }

  std::string operator()(const std::vector<Index>& axes) const {
    std::string text;
    for (const Index axis : axes) text += join_text({text.empty() ? "" : ",", axis});
    return text.empty() ? "all" : text;
  }

  std::string operator()(const Tensor& tensor) const { return tensor.shape().to_string(); }

  std::string operator()(const Indices& ids) const { return ids.shape().to_string(); }
};

std::string attributes_text(const Node& node) {
  std::string text;
  for (const Attribute& attribute : node.attributes) {
    text += join_text({" ", attribute.name, "=", std::visit(AttributeText{}, attribute.value)});
  }
  return text;
}

std::string name_text(const Node& node) {
  return node.name.empty() ? "" : " '" + escaped(node.name) + "'";
}

// "multiply", "parameter", "constant 2".
std::string kind_text(const Node& node) {
  if (node.operation != nullptr) return node.operation;
  if (node.requires_grad) return "parameter";
  if (node.value.rank() > 0) return "constant";
  return join_text({"constant ", node.value.item()});
}

// Why an operation shows no inputs, where it does not.
std::string missing_history_text(const Node& node) {
  if (node.operation == nullptr || !node.inputs.empty()) return "";
  return node.history_used ? " (history used by backward)" : " (no history kept)";
}

std::string place_text(const Node& node) {
  std::string text;
  if (node.file != nullptr) text += join_text({" at ", short_path(node.file), ":", node.line});
  if (node.module_path != nullptr && !node.module_path->empty()) {
    text += " in " + escaped(*node.module_path);
  }
  return text;
}

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

std::string left_out_text(const NumberedHistory& history) {
  const char* nodes = history.first_shown() == 1 ? " node" : " nodes";
  return join_text({history.first_shown(), nodes, " farther from the result left out"});
}

}  // namespace

std::string graph_text(const Variable& result, const GraphOptions& options) {
  result.shape();  // refuses an undefined Variable
  const NumberedHistory history(*result.shared_node(), options);
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
  const NumberedHistory history(*result.shared_node(), options);
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
