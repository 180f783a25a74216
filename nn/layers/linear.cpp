#include "nn/layers/linear.h"

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {

Linear::Linear(Index in, Index out, Rng& rng, Bias bias)
    : weight_(add_parameter("weight", uniform_by_inputs(in, out, rng, "Linear"))),
      bias_(bias == Bias::kYes ? add_parameter("bias", zeros({out})) : Variable()) {}

Variable Linear::forward(const Variable& x) {
  if (!bias_.is_defined()) return matmul(x, weight_);  // [.., out]
  return linear(x, weight_, bias_);                    // [.., out]
}

}  // namespace vitro::nn
