#include "autograd/non_finite.h"

#include <atomic>
#include <cmath>
#include <iostream>

namespace vitro {
namespace {

/// What kinds of numbers that are none a tensor holds.
struct NonFinite {
  Index nan_count = 0;
  Index infinity_count = 0;

  bool any() const { return nan_count > 0 || infinity_count > 0; }
};

NonFinite non_finite_in(const Tensor& x) {
  NonFinite found;
  const Tensor flat = contiguous(x);
  const Scalar* const numbers = flat.data();
  for (Index i = 0; i < flat.element_count(); ++i) {
    if (std::isnan(numbers[i])) found.nan_count += 1;
    if (std::isinf(numbers[i])) found.infinity_count += 1;
  }
  return found;
}

// Only the first one matters: what follows is its consequence.
bool first_time() {
  static std::atomic<bool> reported{false};
  return !reported.exchange(true);
}

std::string place_of(const Node& node, const char* direction) {
  std::string text = join_text({direction, " of ", node.operation});
  if (node.file != nullptr) text += join_text({" at ", node.file, ":", node.line});
  if (node.module_path != nullptr && !node.module_path->empty()) {
    text += " in " + *node.module_path;
  }
  return text;
}

}  // namespace

void on_non_finite(const char* op, const Tensor& tensor, const std::string& where) {
  const NonFinite found = non_finite_in(tensor);
  std::cerr << join_text({"vitro: first number that is none: ", op, " made ", found.nan_count,
                          " NaN and ", found.infinity_count, " infinities in a tensor of shape ",
                          tensor.shape(), ", ", where})
            << std::endl;
}

void check_finite(const Node& node, const std::vector<Operand>& inputs) {
  const NonFinite made = non_finite_in(node.value);
  if (!made.any()) return;
  std::string shapes;
  NonFinite given;
  for (const Operand& input : inputs) {
    const Variable& variable = input.variable();
    shapes += (shapes.empty() ? " of " : ", ") + variable.shape().to_string();
    const NonFinite found = non_finite_in(variable.value());
    if (variable.shared_node()->operation == nullptr && found.nan_count > 0) continue;
    given.nan_count += found.nan_count;
    given.infinity_count += found.infinity_count;
  }
  const bool is_mask = std::string(node.operation) == "masked_fill";
  const bool makes_nan = made.nan_count > 0 && given.nan_count == 0;
  const bool makes_infinity = made.infinity_count > 0 && given.infinity_count == 0 && !is_mask;
  if ((makes_nan || makes_infinity) && first_time()) {
    on_non_finite(node.operation, node.value, place_of(node, "in the forward") + shapes);
  }
}

void check_finite_gradient(const Node& node, const Tensor& grad_of_result, const Tensor& gradient) {
  if (!non_finite_in(gradient).any() || non_finite_in(grad_of_result).any()) return;
  if (first_time()) on_non_finite(node.operation, gradient, place_of(node, "in the backward"));
}

}  // namespace vitro
