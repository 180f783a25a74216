// Losses.
#include "tensor/loss.h"

#include "tensor/arithmetic.h"
#include "tensor/views.h"

#include "autograd/ops.h"

namespace vitro {

Variable cross_entropy(const Operand& logits, const Indices& targets,
                       const CrossEntropyOptions& options) {
  const CrossEntropy parts = cross_entropy_parts(logits.value(), targets, options);
  return record("cross_entropy", parts.loss, {logits},
                [parts, targets, options, shape = logits.shape()](const Tensor& grad) -> Gradients {
                  return {reshape(cross_entropy_backward(parts, targets, options, grad.item()),
                                  shape.sizes())};
                },
                {{"targets", targets},
                 {"counted", parts.counted},
                 {"ignore_index", options.ignore_index},
                 {"label_smoothing", static_cast<double>(options.label_smoothing)}});
}

Variable mean_squared_error(const Operand& a, const Operand& b) {
  const Tensor y = mean_squared_error(a.value(), b.value());
  return record("mean_squared_error", y, {a, b},
                [difference = a.value() - b.value()](const Tensor& grad) -> Gradients {
                  const auto count = static_cast<Scalar>(difference.element_count());
                  const Tensor grad_a = grad * (difference * (Scalar(2) / count));
                  return {grad_a, -grad_a};
                });
}

}  // namespace vitro
