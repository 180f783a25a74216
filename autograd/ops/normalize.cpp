// Layer and RMS normalization.
#include "tensor/normalize.h"

#include "autograd/ops.h"

namespace vitro {

Variable layer_norm(const Operand& x, const Operand& gain, const Operand& bias, Scalar epsilon) {
  const Normalized parts = layer_norm_parts(x.value(), gain.value(), bias.value(), epsilon);
  return record("layer_norm", parts.y, {x, gain, bias},
                [x_value = x.value(), gain_value = gain.value(), mean = parts.mean,
                 inverse = parts.inverse_scale](const Tensor& grad) -> Gradients {
                  NormalizeGradients gradients =
                      layer_norm_backward(x_value, gain_value, {Tensor(), mean, inverse}, grad);
                  return {gradients.x, gradients.gain, gradients.bias};
                },
                {{"epsilon", static_cast<double>(epsilon)}});
}

Variable rms_norm(const Operand& x, const Operand& gain, Scalar epsilon) {
  const Normalized parts = rms_norm_parts(x.value(), gain.value(), epsilon);
  return record("rms_norm", parts.y, {x, gain},
                [x_value = x.value(), gain_value = gain.value(),
                 inverse = parts.inverse_scale](const Tensor& grad) -> Gradients {
                  NormalizeGradients gradients =
                      rms_norm_backward(x_value, gain_value, {Tensor(), Tensor(), inverse}, grad);
                  return {gradients.x, gradients.gain};
                },
                {{"epsilon", static_cast<double>(epsilon)}});
}

}  // namespace vitro
