// Stochastic gradient descent.
#pragma once

#include "nn/optim/optimizer.h"

namespace vitro::nn {

struct SgdOptions {
  Scalar learning_rate = Scalar(0.01);
  Scalar momentum = 0;      ///< how much of the last direction is kept, from 0 to below 1
  Scalar weight_decay = 0;  ///< adds weight_decay · parameter to the gradient
};

/// v = momentum · v + grad;  parameter -= learning_rate · v, with v starting as the first gradient.
class Sgd : public Optimizer {
 public:
  /// Throws std::invalid_argument unless 0 <= momentum < 1 and weight_decay is finite and >= 0.
  Sgd(std::vector<NamedParameter> parameters, const SgdOptions& options);

  void step() override;
  std::string description() const override;

  std::vector<OptimizerTensors> tensors() override { return {{"velocity", &velocities_}}; }

 private:
  SgdOptions options_;
  std::vector<Tensor> velocities_;  // one a parameter
};

}  // namespace vitro::nn
