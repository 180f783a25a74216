// Observer: who watches a thread compute. Traces, profiles and the search for NaN are observers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/context.h"

#include "autograd/record.h"

namespace vitro {

/// One parameter's move in an optimizer's step. `settings` holds what the new value depends on
/// besides the old one and the gradient.
struct ParameterStep {
  const char* optimizer;  ///< "adam", "sgd"
  std::string name;       ///< the parameter's path
  Variable parameter;     ///< holds the new value
  Tensor before;
  Tensor grad;
  Attributes settings;
};

/// A gradient on its way from a node to one of its inputs.
struct Contribution {
  const Node& node;
  Node& input;
  Index input_number;        ///< among the node's inputs
  const Gradient& gradient;  ///< of the input's shape, or of a region of it
};

/// What happens on one thread while an ObserverScope lives there. Every function has an empty
/// default. They are called in the order of the work; what they are handed may be copied and kept
/// (Tensors share memory), never changed.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// An operation reads its first input.
  virtual void operation_begins() {}

  /// It is done and recorded.
  virtual void operation_ends(const std::shared_ptr<Node>& /*node*/,
                              const std::vector<Operand>& /*inputs*/) {}

  /// backward() was called on `root`.
  virtual void backward_begins(const std::shared_ptr<Node>& /*root*/) {}

  /// All gradients are there.
  virtual void backward_ends() {}

  /// A node's backward runs on its whole gradient.
  virtual void backward_step_begins(const Node& /*node*/, const Tensor& /*grad*/) {}

  virtual void contribution(const Contribution& /*contribution*/) {}

  virtual void backward_step_ends(const Node& /*node*/) {}

  /// An optimizer turns to a parameter, and has moved it. One that moves all in one pass begins all
  /// before the first ends.
  virtual void parameter_step_begins() {}

  virtual void parameter_step_ends(const ParameterStep& /*step*/) {}
};

/// While one lives, `observer` watches this thread; whoever watched before goes on afterwards.
class ObserverScope {
 public:
  explicit ObserverScope(Observer& observer) : before_(context().observer) {
    context().observer = &observer;
  }

  ~ObserverScope() { context().observer = before_; }

  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  Observer* before_;
};

}  // namespace vitro
