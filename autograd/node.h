// Node: one value in the history of a computation, and how its gradient flows on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/indices.h"
#include "tensor/tensor.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// What backward returns for one input: a gradient of the input's shape (or of the output's, where
/// the input was broadcast to it), one of a region of the input, or none.
struct Gradient {
  /// No gradient: for an input that needs none.
  Gradient() = default;

  Gradient(Tensor of_whole) : tensor(std::move(of_whole)), given(true) {}  // NOLINT(*explicit*)

  /// The gradient of entries start … of `axis`; all other entries get nothing. The engine adds it
  /// in place, so a slice costs its own size and not the size of what it was cut from.
  static Gradient of_region(Index axis, Index start, Tensor tensor);

  Tensor tensor;
  bool given = false;
  bool is_region = false;  // else of the whole input
  Index axis = 0;
  Index start = 0;
};

/// One entry an input, in the order in which record() was given them.
using Gradients = std::vector<Gradient>;

/// Takes the gradient of the output (its own: it may write to it), returns the gradients of the
/// inputs. Captures Tensors only, never Variables: so history has no cycles, and dropping the
/// result drops everything.
using Backward = std::function<Gradients(Tensor grad)>;

/// A setting of an operation: an axis, a factor, axes, a mask, token ids. Together with the inputs
/// they say all that the result depends on, so that whoever reads a trace can compute it again.
struct Attribute {
  using Value =
      std::variant<Index, double, Shape, std::string, std::vector<Index>, Tensor, Indices>;

  const char* name;
  Value value;
};

using Attributes = std::vector<Attribute>;

/// Invariants: `backward` is set exactly where the node was recorded with history and that history
/// is not used up; then it has as many gradients as there are inputs. `grad` has the shape of
/// `value` where has_grad. Not synchronised: one graph belongs to one thread at a time.
struct Node {
  Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  Tensor value;
  Tensor grad;
  bool has_grad = false;
  bool requires_grad = false;
  bool keep_grad = false;     // an inner node's gradient stays after backward
  bool history_used = false;  // backward went through here and released what it needed
  bool visited = false;       // during backward: already in the order

  std::string name;
  const char* operation = nullptr;  // null for leaves: parameters and constants
  Attributes attributes;
  const char* file = nullptr;  // where the operation was called
  int line = 0;
  std::shared_ptr<const std::string> module_path;

  std::vector<std::shared_ptr<Node>> inputs;
  Backward backward;
  std::shared_ptr<Node> next_doomed;  // set only while a history is dropped
};

/// Nodes alive in the whole program, leaves included: for tests and for finding kept graphs.
Index live_node_count();

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
