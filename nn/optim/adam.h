// Adam, and AdamW with its decay kept apart from the gradient.
#pragma once

#include "nn/optim/optimizer.h"

namespace vitro::nn {

struct AdamOptions {
  Scalar learning_rate = Scalar(0.001);
  Scalar beta1 = Scalar(0.9);     ///< how much of the mean gradient is kept a step
  Scalar beta2 = Scalar(0.999);   ///< how much of the mean squared gradient is kept a step
  Scalar epsilon = Scalar(1e-8);  ///< keeps the quotient finite
};

/// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015), with g the gradient
/// and t the number of the step:
///
///     m = beta1 · m + (1 - beta1) · g           m̂ = m / (1 - beta1^t)
///     v = beta2 · v + (1 - beta2) · g²          v̂ = v / (1 - beta2^t)
///     parameter -= learning_rate · m̂ / (√v̂ + epsilon)
class Adam : public Optimizer {
 public:
  /// Throws std::invalid_argument unless both betas are from 0 to below 1 and epsilon is >= 0.
  Adam(std::vector<NamedParameter> parameters, const AdamOptions& options);

  void step() override;
  std::string description() const override;
  std::vector<OptimizerTensors> tensors() override;

  /// How many steps were made.
  Index step_count() const override { return step_count_; }

  /// Throws std::invalid_argument for a negative count.
  void set_step_count(Index count) override;

 protected:
  // The share of its value that parameter i loses each step, in units of the learning rate.
  std::vector<Scalar> weight_decays_;

 private:
  AdamOptions options_;
  Index step_count_ = 0;
  double beta1_power_ = 1;  // beta1^t
  double beta2_power_ = 1;
  std::vector<Tensor> first_moments_;   // m, one a parameter
  std::vector<Tensor> second_moments_;  // v
};

/// Parameters that lose the same share of their value each step.
struct ParameterGroup {
  std::vector<NamedParameter> parameters;
  Scalar weight_decay = 0;
};

/// AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019): before each Adam
/// step, parameter -= learning_rate · weight_decay · parameter.
class AdamW : public Adam {
 public:
  /// Throws std::invalid_argument where a decay is negative or no number.
  AdamW(const std::vector<ParameterGroup>& groups, const AdamOptions& options);
};

/// Two groups: matrices and tables, which decay; biases and gains, which do not.
std::vector<ParameterGroup> decay_groups(const Module& module, Scalar weight_decay);

/// "26 of 50 tensors (101632 of 103000 numbers) decay", for programs to print: a bias or a gain
/// among them is a mistake that no loss curve shows.
std::string decay_text(const std::vector<ParameterGroup>& groups);

}  // namespace vitro::nn
