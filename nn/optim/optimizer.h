// Optimizer: what turns gradients into better parameters.
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"

namespace vitro::nn {

/// What numbers an optimizer's tensors can hold: kNotNegative for means of squares.
enum class Sign { kAny, kNotNegative };

/// What an optimizer remembers of earlier steps under one name, such as "first_moment": a tensor
/// for each parameter, in their order.
struct OptimizerTensors {
  std::string name;
  std::vector<Tensor>* tensors = nullptr;  ///< never null; lives as long as the optimizer
  Sign sign = Sign::kAny;                  ///< a checkpoint with other numbers is refused
};

/// Holds the parameters to train (handles, not copies). A step visits each that has a gradient; one
/// without is left alone.
class Optimizer {
 public:
  /// Throws std::invalid_argument where there are no parameters, one occurs twice, one needs no
  /// gradient or is an operation's result, or the rate is negative or no number.
  Optimizer(std::vector<NamedParameter> parameters, Scalar learning_rate);
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  /// Moves every parameter once, against its gradient.
  virtual void step() = 0;

  /// Forgets the gradients: they add up over calls of backward until this is called.
  void zero_grad() const;

  Scalar learning_rate() const { return learning_rate_; }

  /// For schedules. Throws std::invalid_argument where the rate is negative or no number.
  void set_learning_rate(Scalar learning_rate);

  const std::vector<NamedParameter>& parameters() const { return parameters_; }

  /// Its kind and the numbers that stay the same, "Adam beta1=0.9 …" (AdamW's, too): a run goes
  /// on only with the same ones. An optimizer that says nothing goes on with what any other left.
  virtual std::string description() const { return {}; }

  /// What else a step depends on, for checkpoints: tensors, and how many steps were made.
  virtual std::vector<OptimizerTensors> tensors() { return {}; }

  virtual Index step_count() const { return 0; }

  /// Goes on after that many steps. The tensors are the caller's part.
  virtual void set_step_count(Index /*count*/) {}

 protected:
  // One tensor of zeros for each parameter: a moment or a velocity.
  std::vector<Tensor> zeros_like_parameters() const;

  std::vector<NamedParameter> parameters_;

 private:
  Scalar learning_rate_ = 0;
};

}  // namespace vitro::nn
