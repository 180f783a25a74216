// Exercise 8 (chapter 9): a step of Adam.
//
// Hint: the formulas stand in nn/optim/adam.h. Do not forget to divide by 1 - beta^step: without
// it the first steps are far too small. Epsilon is added after the root.
#include "tensor/arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/math.h"

#include "examples/exercises/exercises.h"

namespace vitro::exercises {

void adam_step(const Tensor& grad, Index step, Scalar learning_rate, Scalar beta1, Scalar beta2,
               Scalar epsilon, Tensor& m, Tensor& v, Tensor& value) {
  (void)grad;
  (void)step;
  (void)learning_rate;
  (void)beta1;
  (void)beta2;
  (void)epsilon;
  (void)m;
  (void)v;
  (void)value;
  not_written_yet(8);
}

}  // namespace vitro::exercises
