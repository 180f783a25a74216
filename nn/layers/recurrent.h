// TanhRecurrent: the network that attention replaced, for comparison.
#pragma once

#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

/// Reads one position after the other and carries what it remembers in one row of numbers:
///
///     h_t = tanh(x_t W_x + h_(t-1) W_h + b)      h_(-1) = 0
///
/// (Elman, "Finding structure in time", 1990). x [batch, time, in] → all h, [batch, time, size].
/// What position t knows of position 0 has gone through t products and t tanh: so has its gradient,
/// which therefore fades. And no step can start before the one before it has ended.
class TanhRecurrent : public Layer {
 public:
  /// Throws std::invalid_argument where a size is below 1.
  TanhRecurrent(Index in, Index size, Rng& rng);

  /// Throws ShapeError where x is not [batch, time, in], or time is 0.
  Variable forward(const Variable& x) override;

 private:
  const Variable w_x_;   // [in, size]
  const Variable w_h_;   // [size, size]
  const Variable bias_;  // [size]
};

}  // namespace vitro::nn
