// The recipe "an optimizer" of docs/extending.md, followed literally.
#include "nn/optim/optimizer.h"

#include <gtest/gtest.h>
#include <utility>

#include "tensor/arithmetic.h"
#include "tensor/create.h"

#include "autograd/ops.h"

namespace vitro {
namespace {

/// parameter -= learning_rate · sign(grad).
class SignDescent : public nn::Optimizer {
 public:
  SignDescent(std::vector<nn::NamedParameter> parameters, Scalar learning_rate)
      : Optimizer(std::move(parameters), learning_rate) {}

  void step() override {
    for (nn::NamedParameter& parameter : parameters_) {
      Variable& variable = parameter.variable;
      if (!variable.has_grad()) continue;
      const Tensor zero = zeros({});
      const Tensor sign = greater(variable.grad(), zero) - greater(zero, variable.grad());
      variable.set_value(variable.value() - sign * learning_rate());
    }
  }
};

TEST(Recipe, AnOptimizer) {
  const Variable w = parameter(Tensor({3}, {1, -1, 2}), "w");
  SignDescent optimizer({{"w", w}}, Scalar(0.25));
  for (int step = 0; step < 8; ++step) {
    optimizer.zero_grad();
    sum(w * w).backward();
    optimizer.step();
  }
  EXPECT_EQ(w.value().to_vector(), (std::vector<Scalar>{0, 0, 0}));  // 0 has no sign: it stays
}

}  // namespace
}  // namespace vitro
