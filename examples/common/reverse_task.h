// The task of 03_train_reverse: sequences of symbols, and the same backwards.
#pragma once

#include <string>
#include <vector>

#include "tensor/indices.h"
#include "tensor/random.h"

namespace vitro::examples {

enum class Part { kTrain, kTest };

/// Which part a sequence belongs to depends on the sequence alone (one in eight is for testing), so
/// no sequence is ever in both, whatever is drawn.
Part part_of(const std::vector<Index>& sequence);

/// Inputs and targets, both [batch, length]; each target is its input backwards.
struct ReverseBatch {
  Indices inputs;
  Indices targets;
};

/// `batch_size` sequences of `length` symbols from 0 to symbol_count - 1, all of one part.
ReverseBatch draw_reverse_batch(Part part, Index batch_size, Index length, Index symbol_count,
                                Rng& rng);

/// "3 1 4" as symbols. Throws UsageError, one line, where it is none to `length` of them.
std::vector<Index> parse_symbols(const std::string& text, Index length, Index symbol_count);

/// The inverse: "3 1 4".
std::string symbols_text(const std::vector<Index>& symbols);

}  // namespace vitro::examples
