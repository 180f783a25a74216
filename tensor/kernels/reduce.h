// Sums in one fixed order, so that the same numbers give the same bits everywhere.
//
// Along an array: 16 lanes, then pairwise (see lane_sum.h). Over the rows of a matrix: the rows
// fall into 16 chunks, each is summed from top to bottom, and the chunks are added pairwise in the
// same pattern. Threads may take any chunks: the order of additions never changes.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// Σ x[i].
Scalar sum_array(const Scalar* x, Index count);

/// Σ x[i] y[i].
Scalar dot_array(const Scalar* x, const Scalar* y, Index count);

/// The largest element; NaN if there is one; -inf for an empty array.
Scalar max_array(const Scalar* x, Index count);

constexpr Index kRowChunkCount = 16;

struct RowRange {
  Index begin;
  Index end;
};

/// The rows of chunk number `chunk` (0 … 15); empty for some chunks of fewer than 16 rows.
RowRange row_chunk(Index rows, Index chunk);

/// sum[j] = Σ x[i, j] over the given rows (those of one chunk), from top to bottom.
void sum_rows(const Scalar* x, Scalar* sum, Index rows, Index columns);

/// sum[j] = Σ partial_sums[chunk, j], pairwise. `partial_sums` is [16, columns] and is overwritten.
void combine_row_chunks(Scalar* partial_sums, Scalar* sum, Index columns);

}  // namespace vitro::kernels
