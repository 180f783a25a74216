#include "nn/optim/sgd.h"

#include <cmath>
#include <utility>
#include <vector>

#include "tensor/arithmetic.h"

#include "nn/optim/step_watch.h"

namespace vitro::nn {

Sgd::Sgd(std::vector<NamedParameter> parameters, const SgdOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      velocities_(zeros_like_parameters()) {
  if (!(options.momentum >= 0 && options.momentum < 1)) {
    throw_invalid({"Sgd: momentum is ", options.momentum, "; it must be from 0 to below 1"});
  }
  if (!(options.weight_decay >= 0) || !std::isfinite(options.weight_decay)) {
    throw_invalid(
        {"Sgd: weight_decay is ", options.weight_decay, "; it must be a finite number, 0 or more"});
  }
}

void Sgd::step() {
  struct Move {
    std::size_t parameter;  // which one
    StepWatch watch;
    Tensor velocity;
    Tensor value;
  };

  // All is computed before the first parameter moves: where memory runs out, none has.
  std::vector<Move> moves;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Variable& parameter = parameters_[i].variable;
    if (!parameter.has_grad()) continue;
    const StepWatch watch("sgd", parameters_[i]);
    Tensor grad = parameter.grad();
    if (options_.weight_decay != 0) grad = grad + options_.weight_decay * parameter.value();
    const Tensor velocity = options_.momentum * velocities_[i] + grad;
    moves.push_back({i, watch, velocity, parameter.value() - learning_rate() * velocity});
  }
  for (Move& move : moves) {
    const std::size_t i = move.parameter;
    velocities_[i] = std::move(move.velocity);
    parameters_[i].variable.set_value(std::move(move.value));
  }
  for (Move& move : moves) {
    const std::size_t i = move.parameter;
    move.watch.done(parameters_[i].variable.grad(), [&] {
      return Attributes{{"learning_rate", double(learning_rate())}, {"velocity", velocities_[i]}};
    });
  }
}

std::string Sgd::description() const {
  return join_text({"Sgd momentum=", options_.momentum, " weight_decay=", options_.weight_decay});
}

}  // namespace vitro::nn
