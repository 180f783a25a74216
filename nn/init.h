// Initial values of weights.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

#include "nn/module.h"

namespace vitro::nn {

/// [in, out], uniform within ±1/√in. Throws std::invalid_argument, opened by `layer`, where a size
/// is below 1.
Tensor uniform_by_inputs(Index in, Index out, Rng& rng, const char* layer);

/// Independent normal draws of mean 0.
Tensor normal_weights(const Shape& shape, Scalar stddev, Rng& rng);

/// While one lives, the modules that this thread makes start with zeros in place of random draws:
/// for weights that a file overwrites next, as drawing 124 million numbers takes seconds.
class NoInitialDraws {
 public:
  NoInitialDraws();
  ~NoInitialDraws();
  NoInitialDraws(const NoInitialDraws&) = delete;
  NoInitialDraws& operator=(const NoInitialDraws&) = delete;

 private:
  const bool before_;
};

/// False while a NoInitialDraws lives: for modules that draw in a way of their own.
bool draws_initial_weights();

/// GPT-2's start: draws every matrix and table anew, normal with standard deviation 0.02, and those
/// at the end of a branch (`attention.w_o`, `contract.weight`) with 0.02/√branch_count, where
/// branch_count says how many branches add to one stream. So the stream's variance hardly grows
/// with depth, and the first loss is near ln(classes).
void draw_small_weights(const Module& module, Index branch_count, Rng& rng);

}  // namespace vitro::nn
