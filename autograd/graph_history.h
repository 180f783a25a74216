// What the forms of a history share: its nodes in order, and how each is called.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "autograd/graph.h"

namespace vitro {

// Every node below a result, inputs before what was computed from them (post-order), numbered in
// that order. A loop with its own stack: history may be very long.
class NumberedHistory {
 public:
  /// Throws std::invalid_argument, opened by `function`, for max_nodes < 1.
  NumberedHistory(const Node& result, const GraphOptions& options, const char* function);

  Index count() const { return static_cast<Index>(nodes_.size()); }

  /// Nodes below this number are left out.
  Index first_shown() const { return first_shown_; }

  const Node& node(Index number) const { return *nodes_[static_cast<std::size_t>(number)]; }

  Index number_of(const Node& node) const { return numbers_.at(&node); }

 private:
  void collect(const Node& result);

  std::vector<const Node*> nodes_;
  std::unordered_map<const Node*, Index> numbers_;
  Index first_shown_ = 0;
};

/// "multiply", "parameter", "constant 2".
std::string kind_text(const Node& node);

/// " 'w'", or nothing.
std::string name_text(const Node& node);

/// " axis=-1 …", escaped for quotes.
std::string attributes_text(const Node& node);

/// Why an operation shows no inputs, where it does not.
std::string missing_history_text(const Node& node);

/// " at train.cpp:12 in model.head".
std::string place_text(const Node& node);

/// "3 nodes farther from the result left out".
std::string left_out_text(const NumberedHistory& history);

}  // namespace vitro
