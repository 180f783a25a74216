#include "nn/optim/optimizer.h"

#include <cmath>
#include <set>
#include <utility>

#include "tensor/create.h"

namespace vitro::nn {

Optimizer::Optimizer(std::vector<NamedParameter> parameters, Scalar learning_rate)
    : parameters_(std::move(parameters)) {
  set_learning_rate(learning_rate);
  if (parameters_.empty()) {
    throw_invalid({"Optimizer: no parameters; pass module.named_parameters()"});
  }
  std::set<const Node*> seen;
  for (const auto& [name, variable] : parameters_) {
    if (!variable.requires_grad()) {
      throw_invalid({"Optimizer: '", name, "' is a constant; it takes parameters only"});
    }
    if (variable.shared_node()->operation != nullptr) {
      throw_invalid({"Optimizer: '", name, "' is the result of ", variable.shared_node()->operation,
                     "; it takes parameters only"});
    }
    if (!seen.insert(variable.shared_node().get()).second) {
      throw_invalid({"Optimizer: '", name, "' is listed twice; list each parameter once"});
    }
  }
}

void Optimizer::zero_grad() const {
  for (const NamedParameter& parameter : parameters_) parameter.variable.zero_grad();
}

void Optimizer::set_learning_rate(Scalar learning_rate) {
  if (!(learning_rate >= 0) || !std::isfinite(learning_rate)) {
    throw_invalid(
        {"Optimizer: learning rate ", learning_rate, "; it must be a finite number, 0 or more"});
  }
  learning_rate_ = learning_rate;
}

std::vector<Tensor> Optimizer::zeros_like_parameters() const {
  std::vector<Tensor> tensors;
  for (const NamedParameter& parameter : parameters_) {
    tensors.push_back(zeros(parameter.variable.shape()));
  }
  return tensors;
}

}  // namespace vitro::nn
