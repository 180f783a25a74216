// Packing: copies panels of B so that the micro-kernel reads them front to back.
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/scalar.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {

/// Memory of the calling thread for `size` packed Scalars, aligned to a cache line. It is kept
/// until the thread ends, so that a steady state asks the system for nothing; the next call may
/// move it.
Scalar* pack_buffer(Index size);

/// Copies `depth` x `columns` elements of `b` as panels of kTileColumns columns, each row by row
/// and depth * kTileColumns Scalars after the last. A narrower last panel has rows of
/// tile_width(its columns), filled up with zeros.
void pack_panels(const MatrixView& b, Index depth, Index columns, Scalar* panels);

/// Transposes columns that are contiguous and `stride` apart, in squares of lanes: element p of
/// column j goes to rows[p * row_stride + j], for p below `depth` and j below `columns` (at most
/// kLaneCount). Rows are written in whole registers, 0 where there is no column.
void transpose_columns(const Scalar* first_column, Index stride, Index depth, Index columns,
                       Scalar* rows, Index row_stride);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
