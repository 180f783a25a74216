// Operations on each element alone.
#include "tensor/elementwise.h"

#include "tensor/arithmetic.h"
#include "tensor/create.h"

#include "autograd/ops.h"

namespace vitro {

Variable operator-(const Operand& x) {
  const Tensor y = -x.value();
  return record("negate", y, {x}, [](const Tensor& grad) -> Gradients { return {-grad}; });
}

Variable pow(const Operand& x, Scalar exponent) {
  const Tensor y = pow(x.value(), exponent);
  return record("pow", y, {x},
                [x_value = x.value(), exponent](const Tensor& grad) -> Gradients {
                  if (exponent == 0)
                    return {zeros(grad.shape())};  // also at x = 0, where x^-1 is infinite
                  return {grad * (exponent * pow(x_value, exponent - 1))};
                },
                {{"exponent", static_cast<double>(exponent)}});
}

Variable exp(const Operand& x) {
  const Tensor y = exp(x.value());
  return record("exp", y, {x}, [y](const Tensor& grad) -> Gradients {
    return {grad * y};  // d e^x/dx = e^x
  });
}

Variable log(const Operand& x) {
  const Tensor y = log(x.value());
  return record("log", y, {x}, [x_value = x.value()](const Tensor& grad) -> Gradients {
    return {grad / x_value};
  });
}

Variable sqrt(const Operand& x) {
  const Tensor y = sqrt(x.value());
  return record("sqrt", y, {x},
                [y](const Tensor& grad) -> Gradients { return {grad / (Scalar(2) * y)}; });
}

Variable abs(const Operand& x) {
  const Tensor y = abs(x.value());
  return record("abs", y, {x}, [x_value = x.value()](const Tensor& grad) -> Gradients {
    const Tensor zero = zeros({});
    return {grad * (greater(x_value, zero) - greater(zero, x_value))};
  });
}

Variable tanh(const Operand& x) {
  const Tensor y = tanh(x.value());
  return record("tanh", y, {x}, [y](const Tensor& grad) -> Gradients {
    return {grad * (Scalar(1) - y * y)};  // d tanh(x)/dx = 1 - tanh(x)²
  });
}

Variable sigmoid(const Operand& x) {
  const Tensor y = sigmoid(x.value());
  return record("sigmoid", y, {x},
                [y](const Tensor& grad) -> Gradients { return {grad * (y * (Scalar(1) - y))}; });
}

Variable relu(const Operand& x) {
  const Tensor y = relu(x.value());
  return record("relu", y, {x}, [y](const Tensor& grad) -> Gradients {
    // Chosen, not multiplied: 0 · infinity is NaN. A NaN in y is not <= 0, so its G shows.
    return {where(greater_equal(zeros({}), y), zeros({}), grad)};
  });
}

Variable silu(const Operand& x) {
  const Tensor y = silu(x.value());
  return record("silu", y, {x}, [x_value = x.value()](const Tensor& grad) -> Gradients {
    return {silu_backward(x_value, grad)};
  });
}

Variable gelu(const Operand& x, Gelu kind) {
  const Tensor y = gelu(x.value(), kind);
  return record("gelu", y, {x},
                [x_value = x.value(), kind](const Tensor& grad) -> Gradients {
                  return {gelu_backward(x_value, grad, kind)};
                },
                {{"kind", std::string(kind == Gelu::kTanh ? "tanh" : "erf")}});
}

Variable clamp(const Operand& x, Scalar low, Scalar high) {
  const Tensor y = clamp(x.value(), low, high);
  return record("clamp", y, {x},
                [x_value = x.value(), low, high](const Tensor& grad) -> Gradients {
                  const Tensor above_low = greater_equal(x_value, full({}, low));
                  const Tensor below_high = greater_equal(full({}, high), x_value);
                  return {grad * (above_low * below_high)};
                },
                {{"low", static_cast<double>(low)}, {"high", static_cast<double>(high)}});
}

Variable masked_fill(const Operand& x, const Tensor& mask, Scalar value) {
  const Tensor y = masked_fill(x.value(), mask, value);
  return record("masked_fill", y, {x},
                [mask](const Tensor& grad) -> Gradients {
                  return {masked_fill(grad, mask, 0)};  // what was overwritten had no influence
                },
                {{"mask", mask}, {"value", static_cast<double>(value)}});
}

Variable dropout(const Operand& x, Scalar p, Rng& rng) {
  const Tensor scale = dropout_scale(x.shape(), p, rng);
  const Tensor y = x.value() * scale;
  return record("dropout", y, {x},
                [scale](const Tensor& grad) -> Gradients { return {grad * scale}; },
                {{"p", static_cast<double>(p)}, {"scale", scale}});
}

}  // namespace vitro
