// Positions: telling each token where it stands, by adding a row of numbers to it.
#pragma once

#include <memory>

#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

/// x [.., time, width] → x + rows of a table [block_size, width], one for each time step. Throws
/// ShapeError where x ends behind the table.
class Positions : public Layer {
 public:
  /// The first tokens: they stand at 0, 1, …
  Variable forward(const Variable& x) override { return forward(x, 0); }

  /// Tokens that stand at start, start + 1, …
  virtual Variable forward(const Variable& x, Index start) = 0;

  using Layer::operator();

  Variable operator()(const Variable& x, Index start) {
    const ModuleScope scope(*this);
    return forward(x, start);
  }
};

/// The table is learned and starts as normal draws with the given standard deviation.
class LearnedPositions : public Positions {
 public:
  LearnedPositions(Index block_size, Index width, Rng& rng, Scalar stddev = 1);

  using Positions::forward;

  Variable forward(const Variable& x, Index start) override;

 private:
  const Variable table_;  // [block_size, width]
};

/// The table holds sines and cosines: see sinusoidal_positions.
class SinusoidalPositions : public Positions {
 public:
  SinusoidalPositions(Index block_size, Index width);

  using Positions::forward;

  Variable forward(const Variable& x, Index start) override;

 private:
  const Variable table_;  // [block_size, width], not trained
};

/// How a model learns where tokens stand. Rotary and ALiBi act inside each head.
enum class PositionKind { kLearned, kSinusoidal, kRotary, kAlibi };

/// The table of a kind, for models that leave the choice open; null for rotary and ALiBi.
std::unique_ptr<Positions> make_positions(PositionKind kind, Index block_size, Index width,
                                          Rng& rng);

}  // namespace vitro::nn
