// Optimizers, clipping and schedules.
#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/views.h"

#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/optim/sgd.h"

#include "tests/conformance/operations.h"

namespace vitro::conformance {
namespace {

void refuse_variants(const RecordedCase& c) {
  for (const char* name : {"nesterov", "amsgrad", "maximize", "dampening"}) {
    if (c.flag(name)) throw_invalid({"the library's optimizers have no ", name});
  }
}

// The parameter after each step, with the gradients that the case lists: [steps, …]. `decay` adds
// that share of the parameter to its gradient.
std::vector<Variable> trajectory(const RecordedCase& c, nn::Optimizer& optimizer,
                                 Scalar decay = 0) {
  refuse_variants(c);
  const Variable& parameter = c.x(0);
  std::vector<Tensor> values;
  for (Index step = 0; step < c.x(1).size(0); ++step) {
    const Tensor row = narrow(c.x(1).value(), 0, step, 1);
    const Tensor grad = reshape(row, parameter.shape().sizes());
    parameter.set_grad(decay == 0 ? grad : grad + decay * parameter.value());
    optimizer.step();
    values.push_back(parameter.value());
  }
  parameter.zero_grad();
  return {Variable(stack(values, 0))};
}

std::vector<Variable> sgd(const RecordedCase& c) {
  nn::SgdOptions options;
  options.learning_rate = c.number("lr", 0.01);
  options.momentum = c.number("momentum", 0);
  options.weight_decay = c.number("weight_decay", 0);
  nn::Sgd optimizer({{"x", c.x(0)}}, options);
  return trajectory(c, optimizer);
}

nn::AdamOptions adam_options(const RecordedCase& c) {
  nn::AdamOptions options;
  options.learning_rate = c.number("lr", 0.001);
  options.beta1 = c.number("beta1", 0.9);
  options.beta2 = c.number("beta2", 0.999);
  options.epsilon = c.number("eps", 1e-8);
  return options;
}

std::vector<Variable> adam(const RecordedCase& c) {
  nn::Adam optimizer({{"x", c.x(0)}}, adam_options(c));
  return trajectory(c, optimizer, c.number("weight_decay", 0));
}

std::vector<Variable> adam_w(const RecordedCase& c) {
  nn::AdamW optimizer({{{{"x", c.x(0)}}, c.number("weight_decay", 0.01)}}, adam_options(c));
  return trajectory(c, optimizer);
}

std::vector<Variable> clipped_gradients(const RecordedCase& c) {
  std::vector<nn::NamedParameter> parameters;
  for (const Variable& grad : c.variables) {
    const Variable owner = parameter(zeros(grad.shape()));
    owner.set_grad(grad.value());
    parameters.push_back({join_text({"in.", parameters.size()}), owner});
  }
  const double norm = nn::clip_grad_norm(parameters, c.number("max_norm"));
  std::vector<Variable> results;
  for (const auto& [name, variable] : parameters) results.emplace_back(variable.grad());
  results.emplace_back(full({}, static_cast<Scalar>(norm)));
  return results;
}

std::vector<Variable> rates(const RecordedCase& c) {
  nn::WarmupCosine schedule;
  schedule.warmup = c.integer("warmup");
  schedule.total = c.integer("total");
  schedule.max_rate = c.number("max_lr");
  schedule.min_rate = c.has("min_lr") ? c.number("min_lr") : 0;
  const Index steps = c.integer("steps", c.file.entry("out").shape.element_count());
  std::vector<Scalar> values;
  for (Index step = 0; step < steps; ++step) {
    values.push_back(static_cast<Scalar>(nn::warmup_cosine(step, schedule)));
  }
  return {Variable(Tensor({static_cast<Index>(values.size())}, values))};
}

}  // namespace

void add_training_operations(OperationTable& table) {
  table["sgd"] = sgd;
  table["adam"] = adam;
  table["adamw"] = adam_w;
  table["clip_grad_norm"] = clipped_gradients;
  table["warmup_cosine"] = rates;
}

}  // namespace vitro::conformance
