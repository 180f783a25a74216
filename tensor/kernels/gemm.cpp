// How a product is cut up. A tile of C (12 x 32 floats) is computed in registers by the
// micro-kernel, from 12 rows of A and a panel of 32 columns of B. Panels are packed (copied so that
// they are read front to back) where B is too large or lies across. Threads share the rows of C, or
// the columns where rows are few; never the inner size, so that no sum depends on them.
#include "tensor/kernels/gemm.h"

#include <algorithm>

#include "tensor/kernels/gemm_micro.h"
#include "tensor/kernels/gemm_pack.h"
#include "tensor/parallel.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// Longest stretch of the inner size done at once: a tile's rows of A (12 x 512 floats, 24 KB) stay
// in the first-level cache (32 KB) while all panels of B pass by.
constexpr Index kDepthBlock = 2048 / Index{sizeof(Scalar)};
// Columns packed at once: bounds the memory for packed panels to 8 MB.
constexpr Index kColumnBlock = 4096;
// A B of at most this size stays in half the second-level cache (1 MB) as it is: packing only
// costs.
constexpr Index kInPlaceBytes = 512 * 1024;
// With at most this many rows of C, threads share its columns, and packing B only for speed does
// not pay: each panel is read by six tiles at most.
constexpr Index kFewRows = 6 * kTileRows;
// The same for a B too large to be read in place: up to this many rows it costs less when each
// thread packs the columns it uses than when it reads what another thread has packed.
constexpr Index kFewRowsOfLargeB = 40 * kTileRows;
// Work worth a second thread: about 1 MFLOP, ten times the cost of handing it over.
constexpr Index kFlopsPerThread = 1'000'000;

// Memory sets the pace of packing: a number takes about as long as so many operations of a product.
constexpr Index kFlopsPerPackedNumber = 64;

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

Index grain_of(Index flops_per_step) { return kFlopsPerThread / (flops_per_step + 1) + 1; }

MatrixView part_of(const MatrixView& matrix, Index row, Index column) {
  return {matrix.data + row * matrix.row_stride + column * matrix.column_stride, matrix.row_stride,
          matrix.column_stride};
}

// The columns [begin, end) of C as a product of their own.
Gemm columns_of(const Gemm& product, Index begin, Index end) {
  Gemm part = product;
  part.n = end - begin;
  part.b = part_of(product.b, 0, begin);
  part.c += begin;
  if (part.bias) part.bias += begin;
  if (part.residual) part.residual += begin;
  return part;
}

// The stretch [begin, begin + size) of the inner size as a product of its own: the first starts as
// `product` says, later ones go on from C, the last adds bias and residual.
Gemm depth_of(const Gemm& product, Index begin, Index size) {
  Gemm part = product;
  part.k = size;
  part.a = part_of(product.a, 0, begin);
  part.b = part_of(product.b, begin, 0);
  if (begin > 0) part.start = GemmStart::kC;
  if (begin + size < product.k) part.bias = part.residual = nullptr;
  return part;
}

// What one tile reads of B: packed or in place.
struct Panel {
  const Scalar* data;
  Index row_stride;
  Index columns;
};

// All panels of a product whose k is at most kDepthBlock. Packed ones lie in the pack_buffer of the
// thread that made this object, one behind the other: `depth_` rows each, of tile_width(columns)
// numbers. They are good until that thread packs another product.
class Panels {
 public:
  Panels(const Gemm& product, bool in_place)
      : b_(product.b), depth_(product.k), columns_(product.n) {
    const bool last_is_whole = columns_ % kLaneCount == 0;
    if (in_place) first_packed_ = last_is_whole ? count() : count() - 1;
    if (first_packed_ < count()) packed_ = pack_buffer((count() - first_packed_) * panel_size());
  }

  Index count() const { return ceil_div(columns_, kTileColumns); }

  void pack() const {
    const Index grain = grain_of(kFlopsPerPackedNumber * panel_size());
    parallel_for(first_packed_, count(), grain, [&](Index begin, Index end) {
      const Index first = begin * kTileColumns;
      pack_panels(part_of(b_, 0, first), depth_, std::min(end * kTileColumns, columns_) - first,
                  packed_ + (begin - first_packed_) * panel_size());
    });
  }

  Panel operator[](Index i) const {
    const Index first = i * kTileColumns;
    const Index columns = std::min(kTileColumns, columns_ - first);
    if (i < first_packed_) return {b_.data + first, b_.row_stride, columns};
    return {packed_ + (i - first_packed_) * panel_size(), tile_width(columns), columns};
  }

 private:
  Index panel_size() const { return depth_ * kTileColumns; }

  MatrixView b_;
  Index depth_;
  Index columns_;
  // Panels before this one are read in place. One that ends inside a register never is: packed, it
  // is filled up with zeros, and nothing behind B is read.
  Index first_packed_ = 0;
  Scalar* packed_ = nullptr;
};

// The whole product as one tile; callers narrow it down.
Tile tile_of(const Gemm& product) {
  return {product.m,
          product.n,
          product.k,
          product.a.data,
          product.a.row_stride,
          product.a.column_stride,
          product.b.data,
          product.b.row_stride,
          product.c,
          product.c_row_stride,
          product.start == GemmStart::kC,
          product.bias,
          product.residual,
          product.residual_row_stride};
}

// Computes the rows [begin, end) of C, in tiles of nearly even height.
void multiply_rows(const Gemm& product, const Panels& panels, Index begin, Index end) {
  Tile tile = tile_of(product);
  const Index tile_count = ceil_div(end - begin, kTileRows);
  for (Index t = 0; t < tile_count; ++t) {
    const Index row = begin + (end - begin) * t / tile_count;
    tile.rows = begin + (end - begin) * (t + 1) / tile_count - row;
    tile.a = product.a.data + row * product.a.row_stride;
    for (Index i = 0; i < panels.count(); ++i) {
      const Panel panel = panels[i];
      const Index column = i * kTileColumns;
      tile.columns = panel.columns;
      tile.b = panel.data;
      tile.b_row_stride = panel.row_stride;
      tile.c = product.c + row * product.c_row_stride + column;
      if (product.bias) tile.bias = product.bias + column;
      if (product.residual)
        tile.residual = product.residual + row * product.residual_row_stride + column;
      multiply_tile(tile);
    }
  }
}

// All threads pack panels together, then each multiplies its own rows of A by all of them.
void multiply_block(const Gemm& product, bool in_place) {
  const Panels panels(product, in_place);
  panels.pack();
  parallel_for(0, product.m, grain_of(2 * product.n * product.k),
               [&](Index begin, Index end) { multiply_rows(product, panels, begin, end); });
}

// Cuts the product into blocks of at most kDepthBlock steps and `column_block` columns.
void gemm_by_rows(const Gemm& product, Index column_block, bool in_place) {
  if (product.k <= kDepthBlock && product.n <= column_block) {
    multiply_block(product, in_place);
    return;
  }
  const Index depth_blocks = std::max<Index>(ceil_div(product.k, kDepthBlock), 1);  // 1 if k is 0
  for (Index first = 0; first < product.n; first += column_block) {
    const Gemm columns = columns_of(product, first, std::min(first + column_block, product.n));
    for (Index block = 0; block < depth_blocks; ++block) {
      const Index begin = product.k * block / depth_blocks;
      const Index end = product.k * (block + 1) / depth_blocks;
      multiply_block(depth_of(columns, begin, end - begin), in_place);
    }
  }
}

// Each thread computes its own columns, panel by panel, so that a packed panel (at most 64 KB) is
// used while it is in the thread's own cache. A single row passes along whole rows of B if it can:
// a tile would jump from row to row.
void gemm_by_columns(const Gemm& product, bool in_place) {
  const Index panels = ceil_div(product.n, kTileColumns);
  const Index flops = 2 * product.m * product.k * kTileColumns;
  parallel_for(0, panels, grain_of(flops), [&](Index begin, Index end) {
    const Index last = std::min(end * kTileColumns, product.n);
    const Gemm part = columns_of(product, begin * kTileColumns, last);
    if (part.m == 1 && part.b.column_stride == 1)
      multiply_row(tile_of(part));
    else
      gemm_by_rows(part, kTileColumns, in_place);
  });
}

}  // namespace

void gemm(const Gemm& product) {
  if (product.m == 0 || product.n == 0) return;
  const Index flops = 2 * product.m * product.n * product.k;
  const bool large_b = product.n * product.k * Index{sizeof(Scalar)} > kInPlaceBytes;
  const bool in_place = product.b.column_stride == 1 && (product.m <= kFewRows || !large_b);
  const Index few_rows = large_b ? kFewRowsOfLargeB : kFewRows;
  if (product.m == 1 || (product.m <= few_rows && flops > kFlopsPerThread))
    gemm_by_columns(product, in_place);
  else
    gemm_by_rows(product, kColumnBlock, in_place);
}

void gemm_batch(const Gemm& product, std::span<const GemmOffsets> offsets) {
  const auto multiply_one = [&](const GemmOffsets& offset) {
    Gemm one = product;
    one.a.data += offset.a;
    one.b.data += offset.b;
    one.c += offset.c;
    if (one.residual) one.residual += offset.c;
    gemm(one);
  };
  const auto count = static_cast<Index>(offsets.size());
  if (count < thread_count()) {  // fewer products than threads: all share each of them
    for (const GemmOffsets& offset : offsets) multiply_one(offset);
    return;
  }
  const Index flops = 2 * product.m * product.n * product.k;
  parallel_for(0, count, grain_of(flops), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) multiply_one(offsets[static_cast<std::size_t>(i)]);
  });
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
