#include "nn/layers/dropout.h"

#include "autograd/ops.h"

namespace vitro::nn {

Dropout::Dropout(Scalar p, Rng& rng) : p_(p), rng_(add_generator("rng", Rng(rng.next()))) {
  if (!(p >= 0 && p < 1)) {
    throw_invalid({"Dropout: the probability is ", p, "; it must be from 0 to below 1"});
  }
}

Variable Dropout::forward(const Variable& x) {
  if (!drops()) return x;
  return dropout(x, p_, rng_);
}

}  // namespace vitro::nn
