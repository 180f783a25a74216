// Exercise 1 (chapter 3): the gradient of broadcasting.
//
// Hint: an input that was stretched was used once for each place it was stretched to, and gradients
// of several uses add up. Axes in front that `shape` does not have were stretched, too. sum(x,
// {axis}, KeepAxes::kYes) and reshape are all that is needed.
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "examples/exercises/exercises.h"

namespace vitro::exercises {

Tensor unbroadcast(const Tensor& grad, const Shape& shape) {
  (void)grad;
  (void)shape;
  not_written_yet(1);
}

}  // namespace vitro::exercises
