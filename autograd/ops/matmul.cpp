// Matrix products.
#include "tensor/matmul.h"

#include "tensor/views.h"

#include "autograd/ops.h"

namespace vitro {
namespace {

// x as a matrix: one row for every entry of the axes before the last.
Tensor as_rows(const Tensor& x) {
  return reshape(x, {x.shape().without_axis(-1).element_count(), x.size(-1)});
}

// The gradient of a: G·bᵀ, summed over the outer axes along which a was stretched.
Tensor matmul_grad_a(const Tensor& grad, const Tensor& b, const Shape& a_shape) {
  return sum_to(matmul(grad, transpose(b, -2, -1)), a_shape);
}

// The gradient of b: aᵀ·G. A matrix b that multiplied all rows of a gets one product over them.
Tensor matmul_grad_b(const Tensor& a, const Tensor& grad, const Shape& b_shape) {
  if (b_shape.rank() == 2) return matmul(transpose(as_rows(a), 0, 1), as_rows(grad));
  return sum_to(matmul(transpose(a, -2, -1), grad), b_shape);
}

// The gradients of x, w and bias in x·w + bias.
Gradients linear_backward(const Tensor& grad, const Tensor& x, const Tensor& w, bool needs_grad_x) {
  const Tensor bias_grad = sum_to(grad, {w.size(1)});
  Gradient x_grad;
  if (needs_grad_x) {
    x_grad = reshape(matmul(as_rows(grad), transpose(w, 0, 1)), x.shape().sizes());
  }
  return {x_grad, matmul_grad_b(x, grad, w.shape()), bias_grad};
}

}  // namespace

Variable matmul(const Operand& a, const Operand& b) {
  const Tensor y = matmul(a.value(), b.value());
  return record("matmul", y, {a, b},
                [a_value = a.value(), b_value = b.value(), needs_a = a.requires_grad(),
                 needs_b = b.requires_grad()](const Tensor& grad) -> Gradients {
                  Gradients gradients(2);
                  if (needs_a) gradients[0] = matmul_grad_a(grad, b_value, a_value.shape());
                  if (needs_b) gradients[1] = matmul_grad_b(a_value, grad, b_value.shape());
                  return gradients;
                });
}

Variable linear(const Operand& x, const Operand& w, const Operand& bias) {
  const Tensor y = linear(x.value(), w.value(), bias.value());
  return record("linear", y, {x, w, bias},
                [x_value = x.value(), w_value = w.value(),
                 needs_x = x.requires_grad()](const Tensor& grad) -> Gradients {
                  return linear_backward(grad, x_value, w_value, needs_x);
                });
}

Variable linear(const Operand& x, const Operand& w, const Operand& bias, const Operand& residual) {
  const Tensor y = linear(x.value(), w.value(), bias.value(), residual.value());
  return record("linear", y, {x, w, bias, residual},
                [x_value = x.value(), w_value = w.value(),
                 needs_x = x.requires_grad()](const Tensor& grad) -> Gradients {
                  Gradients gradients = linear_backward(grad, x_value, w_value, needs_x);
                  gradients.emplace_back(grad);  // the residual passes it on unchanged
                  return gradients;
                });
}

}  // namespace vitro
