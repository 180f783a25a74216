// Lesson 3: what history is made of, and three ways in which gradients go wrong.
#include <iostream>

#include "tensor/arithmetic.h"
#include "tensor/create.h"

#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "autograd/ops.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

void history() {
  heading("The history of sum(tanh(x w))");
  const Variable x(Tensor({1, 2}, {2, -1}));  // [1, 2]
  const Variable w = parameter(Tensor({2, 1}, {Scalar(0.5), Scalar(-0.25)}), "w");
  const Variable product = matmul(x, w);
  const Variable y = tanh(product);
  const Variable total = sum(y);
  std::cout << graph_text(total) << "\n";
}

// A value that is used twice gets gradients from both uses. They add up.
void used_twice() {
  heading("Used twice: y = a·a + a at a = 3");
  const Variable a = parameter(Tensor(Shape{}, {3}), "a");
  const Variable y = a * a + a;
  y.backward();
  show("dy/da, from a + a + 1", a.grad());
}

// And so they do over calls of backward, until zero_grad.
void forgotten_zero_grad() {
  heading("Forgotten zero_grad");
  const Variable a = parameter(Tensor(Shape{}, {3}), "a");
  for (int step = 1; step <= 3; ++step) {
    const Variable y = a * a;
    y.backward();
    std::cout << "after backward number " << step << ": " << static_cast<double>(a.grad().item())
              << "\n";
  }
  std::cout << "\n";
}

// A stretched input was used once for each place to which it was stretched.
void stretched() {
  heading("Broadcasting backward: the gradient is summed over what was stretched");
  const Variable matrix = parameter(ones({3, 4}), "matrix");
  const Variable row = parameter(ones({1, 4}), "row");
  sum(matrix + row).backward();
  show("gradient of the matrix [3, 4]", matrix.grad());
  show("gradient of the row [1, 4]", row.grad());
}

// tanh with a gradient that is `factor` of the right one.
Variable spoiled_tanh(const Operand& x, Scalar factor) {
  const Tensor y = tanh(x.value());
  return record("spoiled_tanh", y, {x}, [y, factor](const Tensor& grad) -> Gradients {
    return {grad * (factor * (Scalar(1) - y * y))};
  });
}

void checked() {
  heading("The check: every element against a difference of values");
  const Variable x = parameter(Tensor({3}, {Scalar(0.5), -1, Scalar(0.25)}), "x");
  for (const Scalar factor : {Scalar(1), Scalar(0.9)}) {
    const GradcheckResult result =
        gradcheck([factor](const auto& inputs) { return spoiled_tanh(inputs[0], factor); }, {x});
    std::cout << "gradient of tanh times " << static_cast<double>(factor) << "\n  " << result
              << "\n";
  }
}

void lesson() {
  history();
  used_twice();
  forgotten_zero_grad();
  stretched();
  checked();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_03_history",
                                     "what history is made of, and how gradients go wrong.",
                                     vitro::examples::lesson);
}
