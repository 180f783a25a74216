#include "tensor/kernels/adam.h"

#include <cmath>

namespace vitro::kernels {

void adam_update(const AdamStep& step, const Scalar* __restrict grad, Scalar* __restrict value,
                 Scalar* __restrict first, Scalar* __restrict second, Index count) {
  const AdamStep s = step;  // a copy that the writes below cannot change
  for (Index i = 0; i < count; ++i) {
    const Scalar g = grad[i];
    const Scalar m = s.beta1 * first[i] + (1 - s.beta1) * g;
    const Scalar v = s.beta2 * second[i] + (1 - s.beta2) * g * g;
    const Scalar denominator = std::sqrt(v) * s.inverse_sqrt_correction + s.epsilon;
    first[i] = m;
    second[i] = v;
    value[i] = s.kept * value[i] - s.step_size * m / denominator;
  }
}

}  // namespace vitro::kernels
