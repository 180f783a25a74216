// Initial values of weights.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace vitro::nn {

/// [in, out], uniform within ±1/√in. Throws std::invalid_argument, opened by `layer`, where a size
/// is below 1.
Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer);

}  // namespace vitro::nn
