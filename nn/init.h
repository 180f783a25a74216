// Initial values of weights.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

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

}  // namespace vitro::nn
