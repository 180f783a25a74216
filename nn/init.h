// First values of weights.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace vitro::nn {

/// [in, out], uniform within ±1/√in. Throws std::invalid_argument, opened by `layer`, where a size
/// is below 1.
Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer);

/// Throws std::invalid_argument unless size is from 1 to 2^48: "LAYER: NAME is SIZE; it must be 1
/// or more".
void check_size(Index size, const char* layer, const char* name);

}  // namespace vitro::nn
