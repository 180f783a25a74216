#include "nn/layers/positions.h"

#include "tensor/positions.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

Tensor initial_table(Index block_size, Index width, Rng& rng, Scalar stddev) {
  check_size(block_size, "LearnedPositions", "block_size");
  check_size(width, "LearnedPositions", "width");
  return normal_weights({block_size, width}, stddev, rng);
}

// x + rows start … of the table, one for each time step.
Variable add_rows(const Variable& x, const Variable& table, Index start, const char* layer) {
  if (x.rank() < 2 || x.size(-1) != table.size(1) || start < 0 ||
      x.size(-2) > table.size(0) - start) {
    throw ShapeError({layer, ": x is ", x.shape(), " from position ", start, ", the table is ",
                      table.shape(), "; x must be [.., time, ", table.size(1),
                      "] and end before position ", table.size(0)});
  }
  return x + narrow(table, 0, start, x.size(-2));  // [.., time, width]
}

}  // namespace

LearnedPositions::LearnedPositions(Index block_size, Index width, Rng& rng, Scalar stddev)
    : table_(add_parameter("weight", initial_table(block_size, width, rng, stddev))) {}

Variable LearnedPositions::forward(const Variable& x, Index start) {
  return add_rows(x, table_, start, "LearnedPositions");
}

SinusoidalPositions::SinusoidalPositions(Index block_size, Index width)
    : table_(sinusoidal_positions(block_size, width)) {}

Variable SinusoidalPositions::forward(const Variable& x, Index start) {
  return add_rows(x, table_, start, "SinusoidalPositions");
}

std::unique_ptr<Positions> make_positions(PositionKind kind, Index block_size, Index width,
                                          Rng& rng) {
  if (kind == PositionKind::kLearned) {
    return std::make_unique<LearnedPositions>(block_size, width, rng);
  }
  if (kind == PositionKind::kSinusoidal) {
    return std::make_unique<SinusoidalPositions>(block_size, width);
  }
  return nullptr;
}

}  // namespace vitro::nn
