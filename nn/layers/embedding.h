// Embedding: a row of numbers for each id.
#pragma once

#include "tensor/indices.h"
#include "tensor/random.h"

#include "nn/module.h"

namespace vitro::nn {

/// ids [..] → [.., width]: row id of the table [count, width], which starts as normal draws with
/// the given standard deviation.
class Embedding : public Module {
 public:
  /// Throws std::invalid_argument where a size is below 1.
  Embedding(Index count, Index width, Rng& rng, Scalar stddev = 1);

  /// Throws std::out_of_range for an id that is no row.
  Variable operator()(const Indices& ids) const;

  /// [count, width]; also the output layer's weight where the two are tied.
  const Variable& table() const { return table_; }

 private:
  const Variable table_;  // [count, width]
};

}  // namespace vitro::nn
