// The history of a Variable for people: as text, for Graphviz, and as a picture.
#pragma once

#include <string>

#include "autograd/variable.h"

namespace vitro {

/// Histories can be millions of operations long; what a person reads is shorter.
struct GraphOptions {
  Index max_nodes = 200;  ///< beyond this, those farthest from the result are counted, not shown
};

/// One line a node, each after the nodes that it was computed from, so it reads like a program:
///     %0 = parameter 'w'    [2, 3]
///     %1 = constant 2       []
///     %2 = multiply(%0, %1) [2, 3] at train.cpp:12
///     %3 = sum(%2)          []     at train.cpp:13 in model.head
/// A node that is used twice has one line and is referred to by its number. What backward() has
/// used up, or NoGrad never kept, is said. Throws std::invalid_argument for max_nodes < 1.
std::string graph_text(const Variable& result, const GraphOptions& options = {});

/// The same for Graphviz (`dot -Tsvg history.dot > history.svg`), arrows from inputs to results.
/// The same history gives the same text.
std::string graph_dot(const Variable& result, const GraphOptions& options = {});

/// The same as an SVG picture, without Graphviz: inputs on the left, the result on the right, each
/// node one column after the last of its inputs. For small graphs, which read well so.
std::string graph_svg(const Variable& result, const GraphOptions& options = {});

}  // namespace vitro
