#include "nn/layers/linear.h"

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {

Variable affine(const Variable& x, const Variable& w, const Variable& bias,
                const Variable& residual) {
  if (!bias.is_defined()) {
    const Variable product = matmul(x, w);
    return residual.is_defined() ? residual + product : product;
  }
  return residual.is_defined() ? linear(x, w, bias, residual) : linear(x, w, bias);
}

Linear::Linear(Index in, Index out, Rng& rng, Bias bias)
    : weight_(add_parameter("weight", uniform_by_inputs(in, out, rng, "Linear"))),
      bias_(bias == Bias::kYes ? add_parameter("bias", zeros({out})) : Variable()) {}

Variable Linear::forward(const Variable& x, const Variable& residual) {
  return affine(x, weight_, bias_, residual);  // [.., out]
}

}  // namespace vitro::nn
