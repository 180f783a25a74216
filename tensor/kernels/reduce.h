// Sums in one fixed order, so that the same numbers give the same bits everywhere.
//
// Along an array: 16 lanes, then pairwise (see lane_sum.h). Over the rows of a matrix there are two
// ways, both by 16 chunks of rows, each summed from top to bottom, which keeps chains short and
// rounding small. sum_columns does it for a few columns: threads share the columns. Where one pass
// over the rows must do all columns (normalization), row_chunk and combine_row_chunks let threads
// share the chunks. The order of additions depends on the number of rows alone.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// Σ x[i].
Scalar sum_array(const Scalar* x, Index count);

/// The largest element; NaN if there is one; -inf for an empty array.
Scalar max_array(const Scalar* x, Index count);

/// The widest block of columns that sum_columns takes.
constexpr Index kColumnBlock = 64;

/// sum[j] = Σ x[row * row_stride + j] over the rows, for j below `columns` (<= kColumnBlock). The
/// chunks' sums are added in order.
void sum_columns(const Scalar* x, Index rows, Index row_stride, Index columns, Scalar* sum);

constexpr Index kRowChunkCount = 16;

struct RowRange {
  Index begin;
  Index end;
};

/// The rows of chunk number `chunk` (0 … 15); empty for some chunks of fewer than 16 rows.
RowRange row_chunk(Index rows, Index chunk);

/// sum[j] = Σ partial_sums[chunk, j], pairwise as the lanes of an array. `partial_sums` is
/// [16, columns] and is overwritten.
void combine_row_chunks(Scalar* partial_sums, Scalar* sum, Index columns);

}  // namespace vitro::kernels
