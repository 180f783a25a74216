#include "tensor/kernels/gemm.h"

#include <algorithm>

#include "tensor/kernels/gemm_micro.h"
#include "tensor/kernels/gemm_pack.h"
#include "tensor/parallel.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// Longest stretch of the inner size done at once: a tile of A (12 x 512 floats, 24 KB) then stays
// in the first-level cache while panels of B pass by.
constexpr Index kDepthBlock = 2048 / Index{sizeof(Scalar)};
// Columns done at once: a block of B (512 x 256 floats, 512 KB) stays in half a second-level cache.
constexpr Index kColumnBlock = 256;
// Columns of B packed at once: bounds the pack buffer to 8 MB for the widest product.
constexpr Index kPackColumns = 4096;
// From this many rows on, packing B pays: each packed element is read rows / kTileRows times.
constexpr Index kPackRows = 96;
// Work worth a second thread: about 1 MFLOP, ten times the cost of handing it over.
constexpr Index kFlopsPerThread = 1'000'000;

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

// The steps of a range that make up kFlopsPerThread.
Index grain_of(Index flops_per_step) {
  return ceil_div(kFlopsPerThread, std::max<Index>(flops_per_step, 1));
}

// A stretch of the inner size.
struct Depth {
  Index begin;
  Index size;
  bool is_first;
  bool is_last;
};

// Calls body(Depth) for stretches of even size, in order; once, with size 0, if k is 0.
template <class Body>
void for_each_depth(Index k, const Body& body) {
  const Index count = std::max<Index>(ceil_div(k, kDepthBlock), 1);
  for (Index i = 0; i < count; ++i) {
    const Index begin = k * i / count;
    body(Depth{begin, k * (i + 1) / count - begin, i == 0, i == count - 1});
  }
}

// A panel of B, packed or in place: `columns` columns of C from column `begin` on.
struct Panel {
  Index begin;
  Index columns;
  const Scalar* data;
  Index row_stride;
};

MatrixView part_of(const MatrixView& matrix, Index row, Index column) {
  return {matrix.data + row * matrix.row_stride + column * matrix.column_stride, matrix.row_stride,
          matrix.column_stride};
}

// The part of A that one tile reads, packed or in place.
struct ATile {
  Index begin;
  Index rows;
  const Scalar* data;
  Index row_stride;
  Index depth_stride;
};

void multiply(const Gemm& product, const Depth& depth, const ATile& a, const Panel& b) {
  const Index i = a.begin;
  const Index j = b.begin;
  const bool bias = depth.is_last && product.bias;
  const bool residual = depth.is_last && product.residual;
  multiply_tile({a.rows, b.columns, depth.size, a.data, a.row_stride, a.depth_stride, b.data,
                 b.row_stride, product.c + i * product.c_row_stride + j, product.c_row_stride,
                 !depth.is_first || product.start == GemmStart::c,
                 bias ? product.bias + j : nullptr,
                 residual ? product.residual + i * product.residual_row_stride + j : nullptr,
                 product.residual_row_stride});
}

// Calls body(ATile) for the rows [begin, end), cut into tiles of nearly even height.
template <class Body>
void for_each_tile(const Gemm& product, const Depth& depth, Index begin, Index end,
                   const Body& body) {
  const Index rows = end - begin;
  const Index count = ceil_div(rows, kTileRows);
  for (Index i = 0; i < count; ++i) {
    const Index first = begin + rows * i / count;
    const Index height = begin + rows * (i + 1) / count - first;
    const MatrixView a = part_of(product.a, first, depth.begin);
    body(ATile{first, height, a.data, a.row_stride, a.column_stride});
  }
}

bool needs_packing(const Gemm& product, Index columns) {
  return product.b.column_stride != 1 || columns < tile_width(columns);
}

// A panel for immediate use: in place where B allows, else packed into memory of this thread.
Panel panel_at(const Gemm& product, const Depth& depth, Index begin) {
  const Index columns = std::min(kTileColumns, product.n - begin);
  const MatrixView b = part_of(product.b, depth.begin, begin);
  if (!needs_packing(product, columns)) return {begin, columns, b.data, b.row_stride};
  Scalar* const packed = pack_buffer(PackUse::b_panel, kDepthBlock * kTileColumns);
  pack_panel(b, depth.size, columns, packed);
  return {begin, columns, packed, tile_width(columns)};
}

// Few rows: each element of B is used by few tiles, so panels are used where they are made.
void gemm_by_panels(const Gemm& product) {
  const Index panels = ceil_div(product.n, kTileColumns);
  const Index flops = 2 * product.m * product.k * kTileColumns;
  parallel_for(0, panels, grain_of(flops), [&](Index chunk_begin, Index chunk_end) {
    for_each_depth(product.k, [&](const Depth& depth) {
      for (Index i = chunk_begin; i < chunk_end; ++i) {
        const Panel panel = panel_at(product, depth, i * kTileColumns);
        for_each_tile(product, depth, 0, product.m,
                      [&](const ATile& tile) { multiply(product, depth, tile, panel); });
      }
    });
  });
}

// Multiplies the rows [begin, end) by the columns from `first` to `last` of the packed block.
void multiply_rows(const Gemm& product, const Depth& depth, Index begin, Index end, Index first,
                   Index last, const Scalar* block) {
  for (Index column = first; column < last; column += kColumnBlock)
    for_each_tile(product, depth, begin, end, [&](const ATile& tile) {
      const Index column_end = std::min(column + kColumnBlock, last);
      for (Index j = column; j < column_end; j += kTileColumns) {
        const Index columns = std::min(kTileColumns, column_end - j);
        multiply(product, depth, tile,
                 {j, columns, block + (j - first) * depth.size, tile_width(columns)});
      }
    });
}

// Many rows: all threads pack a block of B together, then each multiplies its own rows by it.
void gemm_by_rows(const Gemm& product) {
  for (Index first = 0; first < product.n; first += kPackColumns) {
    const Index last = std::min(first + kPackColumns, product.n);
    Scalar* const block =
        pack_buffer(PackUse::b_block, kDepthBlock * (last - first + kTileColumns));
    for_each_depth(product.k, [&](const Depth& depth) {
      const Index panels = ceil_div(last - first, kTileColumns);
      parallel_for(0, panels, grain_of(8 * depth.size * kTileColumns),
                   [&](Index chunk_begin, Index chunk_end) {
                     for (Index i = chunk_begin; i < chunk_end; ++i) {
                       const Index j = first + i * kTileColumns;
                       pack_panel(part_of(product.b, depth.begin, j), depth.size,
                                  std::min(kTileColumns, last - j),
                                  block + (j - first) * depth.size);
                     }
                   });
      const Index flops = 2 * (last - first) * depth.size;
      parallel_for(0, product.m, grain_of(flops), [&](Index chunk_begin, Index chunk_end) {
        multiply_rows(product, depth, chunk_begin, chunk_end, first, last, block);
      });
    });
  }
}

}  // namespace

void gemm(const Gemm& product) {
  if (product.m == 0 || product.n == 0) return;
  if (product.m < kPackRows)
    gemm_by_panels(product);
  else
    gemm_by_rows(product);
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
  const Index count = static_cast<Index>(offsets.size());
  if (count < thread_count()) {  // fewer products than threads: share each of them
    for (const GemmOffsets& offset : offsets) multiply_one(offset);
    return;
  }
  const Index flops = 2 * product.m * product.n * product.k;
  parallel_for(0, count, grain_of(flops), [&](Index chunk_begin, Index chunk_end) {
    for (Index i = chunk_begin; i < chunk_end; ++i)
      multiply_one(offsets[static_cast<std::size_t>(i)]);
  });
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
