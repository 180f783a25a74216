// Variable: a Tensor with a gradient and a history.
#pragma once

#include <memory>
#include <string>

#include "tensor/tensor.h"

#include "autograd/node.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// A handle to a Node: copies mean the same value, the same gradient, the same history.
///
///     const Variable w = parameter(Tensor({2}, {1, 2}), "w");
///     const Variable loss = sum(w * w);
///     loss.backward();
///     w.grad();  // [2, 4]
class Variable {
 public:
  /// No node: any use but assignment throws std::logic_error.
  Variable() = default;

  /// A constant: operations on it need no gradient of it.
  explicit Variable(Tensor value);

  bool is_defined() const { return node_ != nullptr; }

  const Tensor& value() const { return node().value; }

  const Shape& shape() const { return node().value.shape(); }

  Index size(Index axis) const { return shape()[axis]; }

  Index rank() const { return shape().rank(); }

  /// The number of a Variable that holds exactly one, such as a loss.
  Scalar item() const { return node().value.item(); }

  /// Replaces a leaf's value, as an optimizer does. Throws ShapeError where the shape differs,
  /// std::logic_error for the result of an operation.
  void set_value(Tensor value);

  /// A leaf's numbers, to be written in place by an optimizer: see Tensor::mutable_data. Throws
  /// std::logic_error for the result of an operation.
  Scalar* mutable_data();

  bool requires_grad() const { return node().requires_grad; }

  /// d(result of backward) / d(this), of this shape. Throws std::logic_error where there is none
  /// yet: see has_grad(). Adds up over calls of backward until zero_grad().
  const Tensor& grad() const;

  bool has_grad() const { return node().has_grad; }

  void zero_grad() const;

  /// Replaces the gradient, as clipping does. Throws ShapeError where the shape differs.
  void set_grad(Tensor grad) const;

  /// Asks backward to leave the gradient of this inner result in grad(). Returns *this.
  const Variable& keep_grad() const;

  /// Fills the gradients of everything that this single number was computed from, and uses the
  /// history up. Throws ShapeError where this is no single number, std::logic_error where there is
  /// no history, or where it was used up by an earlier call. After an error inside an operation's
  /// backward, gradients of leaves may be incomplete: zero_grad().
  void backward() const;

  /// The same from a gradient of this shape: for results that are no single number.
  void backward(const Tensor& grad) const;

  /// The same numbers without the history.
  Variable detach() const { return Variable(node().value); }

  /// A name for people: shown by the graph, the debugger and errors. Returns *this.
  const Variable& set_name(const std::string& name) const;

  const std::string& name() const { return node().name; }

  /// The node itself: for the engine, and for looking at history.
  const std::shared_ptr<Node>& shared_node() const { return node_; }

 private:
  friend Variable make_variable(std::shared_ptr<Node> node);

  Node& node() const {
    if (node_ == nullptr) throw_undefined();
    return *node_;
  }

  void check_leaf(const char* function) const;
  [[noreturn]] static void throw_undefined();

  std::shared_ptr<Node> node_;
};

/// For the engine: a handle to an existing node.
Variable make_variable(std::shared_ptr<Node> node);

}  // namespace VITRO_SCALAR_NAMESPACE

/// A leaf that collects gradients: what an optimizer trains.
Variable parameter(Tensor value, const std::string& name = "");

}  // namespace vitro
