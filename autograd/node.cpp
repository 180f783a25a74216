#include "autograd/node.h"

#include <atomic>
#include <utility>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

std::atomic<Index> live_nodes{0};

// Drops these inputs, one after the other; what nobody else owns and has inputs of its own goes to
// the head of the list instead.
void take_over(std::vector<std::shared_ptr<Node>>& inputs, std::shared_ptr<Node>& doomed) {
  for (std::shared_ptr<Node>& input : inputs) {
    const std::shared_ptr<Node> node = std::move(input);
    if (node == nullptr || node->inputs.empty() || node.use_count() > 1) continue;
    node->next_doomed = std::exchange(doomed, node);
  }
  inputs.clear();
}

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
// would need as many stack frames. So whoever is the last owner of a node first takes it over into
// a list, and the chain is taken down in a loop. The list is linked through the nodes themselves:
// a destructor that asked for memory would end the program where there is none.
Node::~Node() {
  live_nodes.fetch_sub(1, std::memory_order_relaxed);
  std::shared_ptr<Node> doomed;
  take_over(inputs, doomed);
  while (doomed != nullptr) {
    const std::shared_ptr<Node> node = std::exchange(doomed, doomed->next_doomed);
    node->next_doomed = nullptr;
    take_over(node->inputs, doomed);
  }
}

Index live_node_count() { return live_nodes.load(std::memory_order_relaxed); }

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
