// The engine: walks the history from a result to its leaves and adds up gradients.
#include <memory>
#include <stdexcept>
#include <utility>

#include "tensor/arithmetic.h"
#include "tensor/context.h"
#include "tensor/create.h"
#include "tensor/reduce.h"

#include "autograd/no_grad.h"
#include "autograd/non_finite.h"
#include "autograd/observer.h"
#include "autograd/variable.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

using NodePointer = std::shared_ptr<Node>;

// While one lives, errors of this thread name the line that called the node's operation, and its
// module: what goes wrong in backward was written there.
class CallerOf {
 public:
  explicit CallerOf(Node& node) : node_(node), file_(context().file), line_(context().line) {
    context().file = node.file;
    context().line = node.line;
    context().module_path.swap(node.module_path);
  }

  ~CallerOf() {
    context().file = file_;
    context().line = line_;
    context().module_path.swap(node_.module_path);
  }

  CallerOf(const CallerOf&) = delete;
  CallerOf& operator=(const CallerOf&) = delete;

 private:
  Node& node_;
  const char* file_;
  int line_;
};

void check_history(Node& node) {
  if (!node.history_used) return;
  const CallerOf caller(node);
  throw std::logic_error(error_text(
      {"backward: the history of ", node.operation,
       " was already used by an earlier backward(), which released it; compute the result again"}));
}

// Every node with history below `root`, each after the nodes it was computed from (post-order), in
// the order in which inputs are written. A loop with its own stack: history may be very long.
class HistoryOrder {
 public:
  explicit HistoryOrder(const NodePointer& root) {
    try {
      collect(root);
    } catch (...) {
      unmark();
      throw;
    }
    unmark();
  }

  /// From the root downwards. The list gives up each node as it is handed out.
  bool take_next(NodePointer& node) {
    if (order_.empty()) return false;
    node = std::move(order_.back());
    order_.pop_back();
    return true;
  }

  /// After an error: what arrived at nodes that never passed it on would be added to the gradient
  /// of another result.
  void drop_gradients_on_the_way() {
    NodePointer node;
    while (take_next(node)) {
      node->grad = Tensor();
      node->has_grad = false;
    }
  }

 private:
  struct Visit {
    NodePointer node;
    std::size_t next_input;
  };

  void enter(const NodePointer& node, std::vector<Visit>& open) {
    if (node->visited) return;
    check_history(*node);
    if (!node->backward) return;  // a leaf, or nothing that needs a gradient
    marked_.push_back(node.get());
    node->visited = true;
    open.push_back({node, 0});
  }

  void collect(const NodePointer& root) {
    std::vector<Visit> open;
    enter(root, open);
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.next_input == visit.node->inputs.size()) {
        order_.push_back(std::move(visit.node));
        open.pop_back();
      } else {
        const NodePointer& input = visit.node->inputs[visit.next_input++];
        enter(input, open);
      }
    }
  }

  void unmark() {
    for (Node* node : marked_) node->visited = false;
    marked_.clear();
  }

  std::vector<NodePointer> order_;
  std::vector<Node*> marked_;
};

// A broadcast input gets the sum over what it was stretched to; any other shape is a mistake in
// the operation's backward.
Tensor fitted(Tensor gradient, const Node& input, const Node& node) {
  const Shape& shape = input.value.shape();
  if (gradient.shape() == shape) return gradient;
  const bool stretched =
      gradient.shape() == node.value.shape() && broadcasts_to(shape, gradient.shape());
  if (!stretched) {
    throw ShapeError({"backward of ", node.operation, ": a gradient of shape ", gradient.shape(),
                      " for an input of shape ", shape, "; it must have the input's shape"});
  }
  return sum_to(gradient, shape);
}

// Adds where there is a gradient already, in place where nobody else holds it.
void accumulate(Node& input, Tensor gradient) {
  if (!input.has_grad) {
    input.grad = std::move(gradient);
    input.has_grad = true;
  } else if (input.grad.is_unique() && input.grad.is_contiguous()) {
    input.grad.accumulate(gradient);
  } else {
    input.grad = input.grad + gradient;
  }
}

void accumulate_region(Node& input, const Gradient& gradient, const Node& node) {
  const Shape& shape = input.value.shape();
  const Shape& part = gradient.tensor.shape();
  const bool has_axis = gradient.axis >= -shape.rank() && gradient.axis < shape.rank();
  const bool fits = has_axis && part.rank() == shape.rank() && gradient.start >= 0 &&
                    part == shape.with_size(gradient.axis, part[gradient.axis]) &&
                    part[gradient.axis] <= shape[gradient.axis] - gradient.start;
  if (!fits) {
    throw ShapeError({"backward of ", node.operation, ": a gradient of shape ", part,
                      " for the region from ", gradient.start, " on along axis ", gradient.axis,
                      " of an input of shape ", shape, "; the region must lie inside the input"});
  }
  if (!input.has_grad) {
    input.grad = zeros(shape);
    input.has_grad = true;
  }
  input.grad.accumulate(gradient.axis, gradient.start, gradient.tensor);
}

void distribute(Gradients gradients, const std::vector<NodePointer>& inputs, const Node& node) {
  if (gradients.size() != inputs.size()) {
    throw std::logic_error(
        error_text({"backward of ", node.operation, ": ", gradients.size(), " gradients for ",
                    inputs.size(), " inputs; return one each"}));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Gradient& gradient = gradients[i];
    if (!inputs[i]->requires_grad || !gradient.given) continue;
    if (!gradient.is_region) gradient.tensor = fitted(std::move(gradient.tensor), *inputs[i], node);
    if (Observer* const observer = context().observer) {
      observer->contribution({node, *inputs[i], static_cast<Index>(i), gradient});
    }
    if (gradient.is_region) {
      accumulate_region(*inputs[i], gradient, node);
    } else {
      accumulate(*inputs[i], std::move(gradient.tensor));
    }
  }
}

// The gradients of a node's inputs, searched for the first NaN where the Context asks for it.
Gradients run_backward(const Backward& backward, Tensor grad, const Node& node) {
  if (!context().checks_finite) return backward(std::move(grad));
  Gradients gradients = backward(grad);
  for (const Gradient& gradient : gradients) {
    if (gradient.given) check_finite_gradient(node, grad, gradient.tensor);
  }
  return gradients;
}

// Runs one node's backward and releases what it needed: its closure and its inputs.
void step_back(Node& node) {
  const Backward backward = std::exchange(node.backward, nullptr);
  const std::vector<NodePointer> inputs = std::exchange(node.inputs, {});
  node.history_used = true;
  if (!node.has_grad) return;  // no gradient reached it
  const CallerOf caller(node);
  Tensor grad = node.keep_grad ? node.grad : std::exchange(node.grad, Tensor());
  node.has_grad = node.keep_grad;
  Observer* const observer = context().observer;
  if (observer != nullptr) observer->backward_step_begins(node, grad);
  Gradients gradients = run_backward(backward, std::move(grad), node);
  distribute(std::move(gradients), inputs, node);
  if (observer != nullptr) observer->backward_step_ends(node);
}

}  // namespace

void Variable::backward() const {
  if (node().value.element_count() != 1) {
    throw ShapeError({"backward: the result has shape ", shape(),
                      "; it must be a single number (take sum or mean first), or pass the "
                      "gradient: backward(grad)"});
  }
  backward(ones(shape()));
}

void Variable::backward(const Tensor& grad) const {
  if (grad.shape() != shape()) {
    throw ShapeError({"backward: a gradient of shape ", grad.shape(), " for a result of shape ",
                      shape(), "; the shapes must be equal"});
  }
  check_history(node());
  if (!node().requires_grad) {
    throw std::logic_error(error_text(
        {"backward: the result depends on no parameter (or was computed under NoGrad), so there "
         "is nothing to differentiate; make inputs with parameter(…)"}));
  }
  const NoGrad no_history_of_gradients;
  if (context().observer != nullptr) context().observer->backward_begins(node_);
  HistoryOrder order(node_);
  accumulate(node(), grad);
  try {
    NodePointer next;
    while (order.take_next(next)) step_back(*next);
    if (context().observer != nullptr) context().observer->backward_ends();
  } catch (...) {
    order.drop_gradients_on_the_way();
    throw;
  }
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
