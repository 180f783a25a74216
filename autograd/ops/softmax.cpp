// Softmax and its logarithm.
#include "tensor/softmax.h"

#include "autograd/ops.h"

namespace vitro {

Variable softmax(const Operand& x, Index axis) {
  const Tensor y = softmax(x.value(), axis);
  return record(
      "softmax", y, {x},
      [y, axis](const Tensor& grad) -> Gradients { return {softmax_backward(y, grad, axis)}; },
      {{"axis", axis}});
}

Variable log_softmax(const Operand& x, Index axis) {
  const Tensor y = log_softmax(x.value(), axis);
  return record(
      "log_softmax", y, {x},
      [y, axis](const Tensor& grad) -> Gradients { return {log_softmax_backward(y, grad, axis)}; },
      {{"axis", axis}});
}

}  // namespace vitro
