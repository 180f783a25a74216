// Observer: who watches a thread compute. Traces and profiles are observers.
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

/// While one lives, `observer` watches this thread, unless a later one does; whoever watched before
/// goes on afterwards. Scopes may end in any order, each on the thread where it began.
class ObserverScope {
 public:
  explicit ObserverScope(Observer& observer)
      : observer_(observer), outer_(context().observer_scope) {
    set_innermost(this);
  }

  ~ObserverScope() {
    ObserverScope* inner = context().observer_scope;
    if (inner == this) {
      set_innermost(outer_);
      return;
    }
    while (inner->outer_ != this) inner = inner->outer_;
    inner->outer_ = outer_;
  }

  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  static void set_innermost(ObserverScope* scope) {
    context().observer_scope = scope;
    context().observer = scope == nullptr ? nullptr : &scope->observer_;
  }

  Observer& observer_;
  // The one that began before this one and lives; null: none. Also moves on in a const scope.
  mutable ObserverScope* outer_;
};

}  // namespace vitro
