// Packing: copies parts of a matrix so that the micro-kernel reads them front to back.
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/scalar.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {

/// Memory of the calling thread for packed data, aligned to a cache line. Kept until the thread
/// ends, so that a steady state asks the system for nothing. The next call with the same `use`
/// may move it; each use has memory of its own.
enum class PackUse { a_tile, b_panel, b_block };
Scalar* pack_buffer(PackUse use, Index size);

/// Copies `depth` x `columns` elements at `b` to `panel`, row by row, each row widened to
/// tile_width(columns) with zeros. A panel of B is what one tile of C needs from it.
void pack_panel(const MatrixView& b, Index depth, Index columns, Scalar* panel);

/// Copies `rows` x `depth` elements at `a` to `tile`, column by column: element (i, p) to
/// tile[p * rows + i].
void pack_tile(const MatrixView& a, Index rows, Index depth, Scalar* tile);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
