#include "nn/init.h"

#include <cmath>

#include "tensor/create.h"

namespace vitro::nn {

Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer) {
  check_size(in, layer, "in");
  check_size(out, layer, "out");
  const Scalar bound = 1 / std::sqrt(static_cast<Scalar>(in));
  return uniform({in, out}, -bound, bound, rng);
}

}  // namespace vitro::nn
