#include "autograd/variable.h"

#include <stdexcept>
#include <utility>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// "a leaf 'weight' of shape [2, 3]": how errors speak of a node.
std::string described(const Node& node) {
  std::string text = node.operation != nullptr ? join_text({"the result of ", node.operation})
                                               : std::string("a leaf");
  if (!node.name.empty()) text += " '" + node.name + "'";
  return text + " of shape " + node.value.shape().to_string();
}

}  // namespace

Variable::Variable(Tensor value) : node_(std::make_shared<Node>()) {
  node_->value = std::move(value);
}

void Variable::throw_undefined() {
  throw std::logic_error(
      error_text({"Variable: it was made without a value; assign it, or construct it from a "
                  "Tensor, before use"}));
}

Variable make_variable(std::shared_ptr<Node> node) {
  Variable variable;
  variable.node_ = std::move(node);
  return variable;
}

void Variable::check_leaf(const char* function) const {
  if (node().operation == nullptr) return;
  throw std::logic_error(error_text({function, ": this is ", described(node()),
                                     "; only parameters and constants can be replaced"}));
}

void Variable::set_value(Tensor value) {
  check_leaf("set_value");
  if (value.shape() != shape()) {
    throw ShapeError({"set_value: new value of shape ", value.shape(), " for ", described(node()),
                      "; the shapes must be equal"});
  }
  node_->value = std::move(value);
}

Scalar* Variable::mutable_data() {
  check_leaf("mutable_data");
  return node_->value.mutable_data();
}

const Tensor& Variable::grad() const {
  if (!node().has_grad) {
    throw std::logic_error(error_text(
        {"grad: ", described(node()),
         node().requires_grad ? " has no gradient yet; call backward() on a result first, and "
                                "keep_grad() before that for inner results"
                              : " is a constant; make it with parameter(…) to get gradients"}));
  }
  return node_->grad;
}

void Variable::zero_grad() const {
  node().grad = Tensor();
  node().has_grad = false;
}

void Variable::set_grad(Tensor grad) const {
  if (grad.shape() != shape()) {
    throw ShapeError({"set_grad: gradient of shape ", grad.shape(), " for ", described(node()),
                      "; the shapes must be equal"});
  }
  node().grad = std::move(grad);
  node().has_grad = true;
}

const Variable& Variable::keep_grad() const {
  node().keep_grad = true;
  return *this;
}

const Variable& Variable::set_name(const std::string& name) const {
  node().name = name;
  return *this;
}

}  // namespace VITRO_SCALAR_NAMESPACE

Variable parameter(Tensor value, const std::string& name) {
  const Variable leaf(std::move(value));
  leaf.shared_node()->requires_grad = true;
  leaf.set_name(name);
  return leaf;
}

}  // namespace vitro
