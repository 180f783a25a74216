// The innermost part of the matrix product: one tile of C in registers, or one row of C.
#pragma once

#include "tensor/kernels/lanes.h"
#include "tensor/scalar.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {

/// A tile is at most kTileRows x kTileColumns and its width is one or two registers.
///
/// Every sum of a tile stays in a register, beside two for the row of B and one for the element of
/// A: 12 * 2 + 3 of the 32 registers of AVX-512, 6 * 2 + 3 of the 16 of AVX2, 4 * 2 + 3 elsewhere.
/// The higher the tile, the fewer loads for each multiplication: 14 for 24 at 12 rows.
constexpr Index kTileRows = kLaneBytes == 64 ? 12 : kLaneBytes == 32 ? 6 : 4;
constexpr Index kTileColumns = 2 * kLaneCount;

/// One tile of C and what it is made of. Element (i, p) of A lies at a[i * a_row_stride +
/// p * a_depth_stride]. Element (p, j) of B lies at b[p * b_row_stride + j]; b is readable up to
/// tile_width(columns) columns, even where the tile has fewer.
struct Tile {
  Index rows;     // 1 .. kTileRows
  Index columns;  // 1 .. kTileColumns
  Index depth;    // products in each sum, may be 0
  const Scalar* a;
  Index a_row_stride;
  Index a_depth_stride;
  const Scalar* b;
  Index b_row_stride;
  Scalar* c;
  Index c_row_stride;
  bool from_c;             // the sums go on from what C holds, else they start at 0
  const Scalar* bias;      // added to each row at the end; or null
  const Scalar* residual;  // added after the bias; or null
  Index residual_row_stride;
};

/// Columns of B that a tile of this many columns reads: whole registers.
constexpr Index tile_width(Index columns) {
  return columns > kLaneCount ? kTileColumns : kLaneCount;
}

/// C = (the chain of fused multiply-adds over the depth, in order) + bias + residual.
void multiply_tile(const Tile& tile);

/// The same for a single row of any width (tile.rows is 1), where B is read once and never again:
/// passes along whole rows of B, which memory delivers fastest. b needs `columns` columns only.
void multiply_row(const Tile& tile);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
