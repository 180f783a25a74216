#include "autograd/node.h"

#include <atomic>
#include <utility>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

std::atomic<Index> live_nodes{0};

}  // namespace

Gradient Gradient::of_region(Index axis, Index start, Tensor tensor) {
  Gradient gradient(std::move(tensor));
  gradient.is_region = true;
  gradient.axis = axis;
  gradient.start = start;
  return gradient;
}

Node::Node() { live_nodes.fetch_add(1, std::memory_order_relaxed); }

// A history can be a million operations long, and a destructor that called its inputs' destructors
// would need as many stack frames. So whoever is the last owner of a node first takes its inputs
// over into a list, and the chain is taken down in a loop.
Node::~Node() {
  live_nodes.fetch_sub(1, std::memory_order_relaxed);
  std::vector<std::shared_ptr<Node>> doomed = std::move(inputs);
  while (!doomed.empty()) {
    const std::shared_ptr<Node> node = std::move(doomed.back());
    doomed.pop_back();
    if (node == nullptr || node->inputs.empty() || node.use_count() > 1) continue;
    for (std::shared_ptr<Node>& input : node->inputs) doomed.push_back(std::move(input));
    node->inputs.clear();
  }
}

Index live_node_count() { return live_nodes.load(std::memory_order_relaxed); }

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
