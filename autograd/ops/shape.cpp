// Operations that move numbers without changing them: gradients move the other way.

#include "tensor/join.h"
#include "tensor/select.h"
#include "tensor/views.h"

#include "autograd/ops.h"

namespace vitro {

Variable reshape(const Operand& x, const std::vector<Index>& sizes) {
  const Tensor y = reshape(x.value(), sizes);
  return record("reshape", y, {x},
                [shape = x.shape()](const Tensor& grad) -> Gradients {
                  return {reshape(grad, shape.sizes())};
                },
                {{"shape", y.shape()}});
}

Variable view(const Operand& x, const std::vector<Index>& sizes) {
  const Tensor y = view(x.value(), sizes);
  return record("view", y, {x},
                [shape = x.shape()](const Tensor& grad) -> Gradients {
                  return {reshape(grad, shape.sizes())};
                },
                {{"shape", y.shape()}});
}

Variable transpose(const Operand& x, Index axis_a, Index axis_b) {
  const Tensor y = transpose(x.value(), axis_a, axis_b);
  return record("transpose", y, {x},
                [axis_a, axis_b](const Tensor& grad) -> Gradients {
                  return {transpose(grad, axis_a, axis_b)};
                },
                {{"axis_a", axis_a}, {"axis_b", axis_b}});
}

Variable permute(const Operand& x, const std::vector<Index>& axes) {
  const Tensor y = permute(x.value(), axes);
  std::vector<Index> order;
  for (const Index axis : axes) order.push_back(x.shape().resolve_axis(axis, "permute"));
  return record("permute", y, {x},
                [inverse = inverse_order(order)](const Tensor& grad) -> Gradients {
                  return {permute(grad, inverse)};
                },
                {{"order", order}});
}

Variable narrow(const Operand& x, Index axis, Index start, Index length) {
  const Tensor y = narrow(x.value(), axis, start, length);
  const Index from_front = x.shape().resolve_axis(axis, "narrow");
  return record("narrow", y, {x},
                [from_front, start](const Tensor& grad) -> Gradients {
                  return {Gradient::of_region(from_front, start, grad)};
                },
                {{"axis", from_front}, {"start", start}, {"length", length}});
}

Variable broadcast_to(const Operand& x, const Shape& shape) {
  const Tensor y = broadcast_to(x.value(), shape);
  return record(
      "broadcast_to", y, {x},
      [from = x.shape()](const Tensor& grad) -> Gradients { return {sum_to(grad, from)}; },
      {{"shape", shape}});
}

Variable unsqueeze(const Operand& x, Index axis) {
  const Tensor y = unsqueeze(x.value(), axis);
  return record("unsqueeze", y, {x},
                [shape = x.shape()](const Tensor& grad) -> Gradients {
                  return {reshape(grad, shape.sizes())};
                },
                {{"axis", axis}});
}

Variable squeeze(const Operand& x, Index axis) {
  const Tensor y = squeeze(x.value(), axis);
  return record("squeeze", y, {x},
                [shape = x.shape()](const Tensor& grad) -> Gradients {
                  return {reshape(grad, shape.sizes())};
                },
                {{"axis", axis}});
}

Variable cat(const std::vector<Operand>& parts, Index axis) {
  std::vector<Tensor> values;
  for (const Operand& part : parts) values.push_back(part.value());
  const Tensor y = cat(values, axis);
  const Index from_front = y.shape().resolve_axis(axis, "cat");
  std::vector<Index> lengths;
  for (const Tensor& value : values) lengths.push_back(value.size(from_front));
  return record("cat", y, parts,
                [lengths, from_front](const Tensor& grad) -> Gradients {
                  Gradients gradients;
                  Index start = 0;
                  for (const Index length : lengths) {
                    gradients.emplace_back(narrow(grad, from_front, start, length));
                    start += length;
                  }
                  return gradients;
                },
                {{"axis", from_front}});
}

Variable stack(const std::vector<Operand>& parts, Index axis) {
  std::vector<Tensor> values;
  for (const Operand& part : parts) values.push_back(part.value());
  const Tensor y = stack(values, axis);
  const Index from_front = y.shape().resolve_axis(axis, "stack");
  return record("stack", y, parts,
                [from_front, count = y.size(from_front)](const Tensor& grad) -> Gradients {
                  Gradients gradients;
                  for (Index i = 0; i < count; ++i) {
                    gradients.emplace_back(squeeze(narrow(grad, from_front, i, 1), from_front));
                  }
                  return gradients;
                },
                {{"axis", from_front}});
}

Variable gather(const Operand& x, Index axis, const Indices& ids) {
  const Tensor y = gather(x.value(), axis, ids);
  return record("gather", y, {x},
                [shape = x.shape(), axis, ids](const Tensor& grad) -> Gradients {
                  return {scatter_sum(grad, axis, ids, shape)};
                },
                {{"axis", axis}, {"ids", ids}});
}

}  // namespace vitro
