// Operations on pairs of elements. A stretched input's gradient is summed back by the engine.
#include "tensor/arithmetic.h"

#include "tensor/create.h"

#include "autograd/ops.h"

namespace vitro {

Variable operator+(const Operand& a, const Operand& b) {
  const Tensor y = a.value() + b.value();
  return record("add", y, {a, b}, [](const Tensor& grad) -> Gradients { return {grad, grad}; });
}

Variable operator-(const Operand& a, const Operand& b) {
  const Tensor y = a.value() - b.value();
  return record("subtract", y, {a, b}, [](const Tensor& grad) -> Gradients {
    return {grad, -grad};
  });
}

Variable operator*(const Operand& a, const Operand& b) {
  const Tensor y = a.value() * b.value();
  return record("multiply", y, {a, b},
                [a_value = a.value(), b_value = b.value()](const Tensor& grad) -> Gradients {
                  return {grad * b_value, grad * a_value};  // d ab/da = b, d ab/db = a
                });
}

Variable operator/(const Operand& a, const Operand& b) {
  const Tensor y = a.value() / b.value();
  return record("divide", y, {a, b}, [y, b_value = b.value()](const Tensor& grad) -> Gradients {
    return {grad / b_value, -grad * y / b_value};  // d (a/b)/db = -a/b² = -y/b
  });
}

Variable maximum(const Operand& a, const Operand& b) {
  const Tensor y = maximum(a.value(), b.value());
  return record("maximum", y, {a, b},
                [a_value = a.value(), b_value = b.value()](const Tensor& grad) -> Gradients {
                  const Tensor half_of_equals = equal(a_value, b_value) * Scalar(0.5);
                  return {grad * (greater(a_value, b_value) + half_of_equals),
                          grad * (greater(b_value, a_value) + half_of_equals)};
                });
}

Variable minimum(const Operand& a, const Operand& b) {
  const Tensor y = minimum(a.value(), b.value());
  return record("minimum", y, {a, b},
                [a_value = a.value(), b_value = b.value()](const Tensor& grad) -> Gradients {
                  const Tensor half_of_equals = equal(a_value, b_value) * Scalar(0.5);
                  return {grad * (greater(b_value, a_value) + half_of_equals),
                          grad * (greater(a_value, b_value) + half_of_equals)};
                });
}

Variable where(const Tensor& condition, const Operand& a, const Operand& b) {
  const Tensor y = where(condition, a.value(), b.value());
  return record("where", y, {a, b},
                [condition](const Tensor& grad) -> Gradients {
                  const Tensor nothing = zeros({});
                  return {where(condition, grad, nothing), where(condition, nothing, grad)};
                },
                {{"condition", condition}});
}

}  // namespace vitro
