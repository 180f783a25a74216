// Positions: telling each token where it stands, by adding a row of numbers to it.
#pragma once

#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

/// x [.., time, width] → x + the first `time` rows of a learned table [block_size, width], which
/// starts as normal draws with the given deviation.
class LearnedPositions : public Layer {
 public:
  LearnedPositions(Index block_size, Index width, Rng& rng, Scalar deviation = 1);

  /// Throws ShapeError where x is longer than the table.
  Variable forward(const Variable& x) override { return forward(x, 0); }

  /// The same for tokens that stand at start, start + 1, …
  Variable forward(const Variable& x, Index start);
  using Layer::operator();

  Variable operator()(const Variable& x, Index start) {
    const ModuleScope scope(*this);
    return forward(x, start);
  }

 private:
  const Variable table_;  // [block_size, width]
};

/// x [.., time, width] → x + a fixed table of sines and cosines: see sinusoidal_positions.
class SinusoidalPositions : public Layer {
 public:
  SinusoidalPositions(Index block_size, Index width);

  /// Throws ShapeError where x is longer than block_size.
  Variable forward(const Variable& x) override { return forward(x, 0); }

  Variable forward(const Variable& x, Index start);
  using Layer::operator();

  Variable operator()(const Variable& x, Index start) {
    const ModuleScope scope(*this);
    return forward(x, start);
  }

 private:
  const Variable table_;  // [block_size, width], not trained
};

}  // namespace vitro::nn
