// Sums, means, variances and maxima over axes.
#include "tensor/reduce.h"

#include "tensor/arithmetic.h"
#include "tensor/views.h"

#include "autograd/ops.h"

namespace vitro {
namespace {

Attributes reduction(const std::vector<Index>& axes, KeepAxes keep) {
  return {{"axes", axes}, {"keep", Index{keep == KeepAxes::kYes ? 1 : 0}}};
}

// A gradient of the reduced shape, with the reduced axes back in place and stretched to x again.
Tensor spread(const Tensor& grad, const Shape& shape, const std::vector<Index>& axes) {
  Shape with_ones = shape;
  for (const Index axis : resolve_axes(shape, axes, "sum"))
    with_ones = with_ones.with_size(axis, 1);
  return broadcast_to(reshape(grad, with_ones.sizes()), shape);
}

Index reduced_count(const Shape& shape, const std::vector<Index>& axes) {
  Index count = 1;
  for (const Index axis : resolve_axes(shape, axes, "mean")) count *= shape[axis];
  return count;
}

}  // namespace

Variable sum(const Operand& x, const std::vector<Index>& axes, KeepAxes keep) {
  const Tensor y = sum(x.value(), axes, keep);
  return record(
      "sum", y, {x},
      [shape = x.shape(), axes](const Tensor& grad) -> Gradients {
        return {spread(grad, shape, axes)};
      },
      reduction(axes, keep));
}

Variable mean(const Operand& x, const std::vector<Index>& axes, KeepAxes keep) {
  const Tensor y = mean(x.value(), axes, keep);
  return record(
      "mean", y, {x},
      [shape = x.shape(), axes](const Tensor& grad) -> Gradients {
        const auto count = static_cast<Scalar>(reduced_count(shape, axes));
        return {spread(grad / count, shape, axes)};
      },
      reduction(axes, keep));
}

Variable var(const Operand& x, const std::vector<Index>& axes, KeepAxes keep) {
  resolve_axes(x.shape(), axes, "var");  // so that a wrong axis is var's error, not mean's
  const Tensor deviation = x.value() - mean(x.value(), axes, KeepAxes::kYes);
  const Tensor y = mean(deviation * deviation, axes, keep);
  return record(
      "var", y, {x},
      [deviation, axes](const Tensor& grad) -> Gradients {
        const auto count = static_cast<Scalar>(reduced_count(deviation.shape(), axes));
        const Tensor spread_grad = spread(grad, deviation.shape(), axes);
        return {spread_grad * (deviation * (Scalar(2) / count))};
      },
      reduction(axes, keep));
}

Variable max(const Operand& x, const std::vector<Index>& axes, KeepAxes keep) {
  const Tensor y = max(x.value(), axes, keep);
  return record(
      "max", y, {x},
      [x_value = x.value(), axes](const Tensor& grad) -> Gradients {
        return {max_backward(x_value, axes, grad)};
      },
      reduction(axes, keep));
}

}  // namespace vitro
