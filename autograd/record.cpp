#include "autograd/record.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tensor/context.h"

#include "autograd/non_finite.h"
#include "autograd/observer.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// The operation under way ends here: later errors are not its.
void forget_caller() {
  Context& here = context();
  here.file = nullptr;
  here.line = 0;
}

}  // namespace

Operand::Operand(const Variable& variable, const char* file, int line)
    : variable_(variable), file_(file), line_(line) {
  if (!variable.is_defined()) value();  // throws, naming the caller
}

Operand::Operand(Scalar number, const char* file, int line)
    : variable_(Tensor(Shape{}, {number})), file_(file), line_(line) {}

Operand::~Operand() { forget_caller(); }

const Tensor& Operand::value() const {
  Context& here = context();
  if (here.observer != nullptr && here.file == nullptr) here.observer->operation_begins();
  here.file = file_;
  here.line = line_;
  return variable_.value();
}

Variable record(const char* operation, Tensor value, const std::vector<Operand>& inputs,
                Backward backward, Attributes attributes) {
  const bool needs_grad = context().grad_enabled &&
                          std::any_of(inputs.begin(), inputs.end(),
                                      [](const Operand& input) { return input.requires_grad(); });
  auto node = std::make_shared<Node>();
  node->value = std::move(value);
  node->operation = operation;
  node->attributes = std::move(attributes);
  node->module_path = context().module_path;
  if (!inputs.empty()) {
    node->file = inputs.front().file();
    node->line = inputs.front().line();
  }
  if (needs_grad) {
    if (backward == nullptr) {
      forget_caller();
      throw_invalid({"record: '", operation == nullptr ? "" : operation,
                     "' has no backward, and an input needs a gradient; pass a function"});
    }
    node->requires_grad = true;
    node->backward = std::move(backward);
    node->inputs.reserve(inputs.size());
    for (const Operand& input : inputs) node->inputs.push_back(input.variable().shared_node());
  }
  forget_caller();
  if (context().observer != nullptr) context().observer->operation_ends(node, inputs);
  if (context().checks_finite) check_finite(*node, inputs);
  return make_variable(std::move(node));
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
