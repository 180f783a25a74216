#include "autograd/graph_history.h"

#include <algorithm>
#include <string_view>
#include <variant>

namespace vitro {
namespace {

struct Visit {
  const Node* node;
  std::size_t next_input;
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

}  // namespace

NumberedHistory::NumberedHistory(const Node& result, const GraphOptions& options,
                                 const char* function) {
  if (options.max_nodes < 1) {
    throw_invalid({function, ": max_nodes is ", options.max_nodes, "; it must be 1 or more"});
  }
  collect(result);
  first_shown_ = std::max<Index>(0, count() - options.max_nodes);
}

void NumberedHistory::collect(const Node& result) {
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

std::string kind_text(const Node& node) {
  if (node.operation != nullptr) return node.operation;
  if (node.requires_grad) return "parameter";
  if (node.value.rank() > 0) return "constant";
  return join_text({"constant ", node.value.item()});
}

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

std::string left_out_text(const NumberedHistory& history) {
  const char* nodes = history.first_shown() == 1 ? " node" : " nodes";
  return join_text({history.first_shown(), nodes, " farther from the result left out"});
}

}  // namespace vitro
