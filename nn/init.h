// Initial values of weights.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

#include "nn/module.h"

namespace vitro::nn {

/// [in, out], uniform within ±1/√in. Throws std::invalid_argument, opened by `layer`, where a size
/// is below 1.
Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer);

/// GPT-2's start: draws every matrix and table anew, normal with standard deviation 0.02, and those
/// at the end of a branch (`attention.w_o`, `contract.weight`) with 0.02/√branch_count, where
/// branch_count says how many branches add to one stream. So the stream's variance hardly grows
/// with depth, and the first loss is near ln(classes).
void draw_small_weights(const Module& module, Index branch_count, Rng& rng);

}  // namespace vitro::nn
