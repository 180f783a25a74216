// The recipe "a new operation" of docs/extending.md, followed literally.
#include <gtest/gtest.h>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"

#include "autograd/gradcheck.h"
#include "autograd/record.h"

namespace vitro {
namespace {

Variable softsign(const Operand& x) {
  const Tensor scale = Scalar(1) + abs(x.value());
  const Tensor y = x.value() / scale;
  return record("softsign", y, {x}, [scale](const Tensor& grad) -> Gradients {
    return {grad / (scale * scale)};  // d x/(1 + |x|)/dx = 1/(1 + |x|)²
  });
}

bool softsign_has_the_right_gradient() {
  Rng rng(1);
  const Variable x = parameter(uniform({3, 5}, Scalar(0.5), Scalar(1.5), rng), "x");
  return gradcheck([](const auto& inputs) { return softsign(inputs[0]); }, {x}).passed;
}

TEST(Recipe, ANewOperation) {
  EXPECT_TRUE(softsign_has_the_right_gradient());
  EXPECT_EQ(softsign(Variable(Tensor({3}, {-1, 0, 3}))).value().to_vector(),
            (std::vector<Scalar>{Scalar(-0.5), 0, Scalar(0.75)}));
}

}  // namespace
}  // namespace vitro
