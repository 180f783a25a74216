// Optimizers, clipping and schedules.
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

// The parameter after each step, with the gradients that the case lists: [steps, …].
std::vector<Variable> trajectory(const RecordedCase& c, nn::Optimizer& optimizer) {
  const Variable& parameter = c.x(0);
  std::vector<Tensor> values;
  for (Index step = 0; step < c.x(1).size(0); ++step) {
    const Tensor grad = narrow(c.x(1).value(), 0, step, 1);
    parameter.set_grad(reshape(grad, parameter.shape().sizes()));
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
  return trajectory(c, optimizer);
}

std::vector<Variable> adam_w(const RecordedCase& c) {
  nn::AdamW optimizer({{{{"x", c.x(0)}}, c.number("weight_decay", 0)}}, adam_options(c));
  return trajectory(c, optimizer);
}

std::vector<Variable> clipped_gradients(const RecordedCase& c) {
  std::vector<nn::NamedParameter> parameters;
  for (const Variable& grad : c.variables) {
    const Variable owner = parameter(zeros(grad.shape()));
    owner.set_grad(grad.value());
    parameters.push_back({join_text({"in.", parameters.size()}), owner});
  }
  const double norm = nn::clip_grad_norm(parameters, c.attributes["max_norm"].number());
  std::vector<Variable> results;
  for (const auto& [name, variable] : parameters) results.emplace_back(variable.grad());
  results.emplace_back(full({}, static_cast<Scalar>(norm)));
  return results;
}

std::vector<Variable> rates(const RecordedCase& c) {
  nn::WarmupCosine schedule;
  schedule.warmup = c.integer("warmup");
  schedule.total = c.integer("total");
  schedule.max_rate = c.attributes["max_lr"].number();
  schedule.min_rate = c.attributes["min_lr"].number();
  std::vector<Scalar> values;
  for (Index step = 0; step < c.integer("steps"); ++step) {
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
