#include "nn/init.h"

#include <cmath>

#include "tensor/context.h"
#include "tensor/create.h"

namespace vitro::nn {

Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer) {
  check_size(in, layer, "in");
  check_size(out, layer, "out");
  if (!draws_initial_weights()) return zeros({in, out});
  const Scalar bound = 1 / std::sqrt(static_cast<Scalar>(in));
  return uniform({in, out}, -bound, bound, rng);
}

Tensor normal_weights(const Shape& shape, Scalar stddev, Rng& rng) {
  return draws_initial_weights() ? normal(shape, 0, stddev, rng) : zeros(shape);
}

NoInitialDraws::NoInitialDraws() : before_(context().draws_weights) {
  context().draws_weights = false;
}

NoInitialDraws::~NoInitialDraws() { context().draws_weights = before_; }

bool draws_initial_weights() { return context().draws_weights; }

}  // namespace vitro::nn
