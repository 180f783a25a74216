#include "tensor/kernels/gemm_pack.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tensor/kernels/gemm_micro.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

struct alignas(64) CacheLine {
  Scalar values[64 / sizeof(Scalar)];
};

// Rows of B are contiguous: each is read from end to end and dealt out to the panels.
void pack_rows(const MatrixView& b, Index depth, Index panel_count, Scalar* panels) {
  for (Index p = 0; p < depth; ++p)
    for (Index i = 0; i < panel_count; ++i) {
      const Scalar* const from = b.data + p * b.row_stride + i * kTileColumns;
      Scalar* const to = panels + (i * depth + p) * kTileColumns;
      store(to, load(from));
      store(to + kLaneCount, load(from + kLaneCount));
    }
}

// Swaps the off-diagonal quarters of each square of 2 * kSize lanes in the rows `upper` and
// `lower`, kSize rows apart: one step of a transposition.
template <Index kSize, Index... kLane>
void swap_quarters(Lanes& upper, Lanes& lower, std::integer_sequence<Index, kLane...>) {
  const Lanes old = upper;
  upper = shuffle<(kLane & kSize ? kLaneCount + kLane - kSize : kLane)...>(old, lower);
  lower = shuffle<(kLane & kSize ? kLaneCount + kLane : kLane + kSize)...>(old, lower);
}

// Transposes a square of lanes in place: 64 shuffles for 16 x 16 numbers.
template <Index kSize = kLaneCount / 2>
void transpose(Lanes (&rows)[kLaneCount]) {
  unroll<kLaneCount>([&](auto i) {
    if constexpr ((i & kSize) == 0)
      swap_quarters<kSize>(rows[i], rows[i + kSize],
                           std::make_integer_sequence<Index, kLaneCount>{});
  });
  if constexpr (kSize > 1) transpose<kSize / 2>(rows);
}

// One panel of any strides and any width.
void pack_panel(const MatrixView& b, Index depth, Index columns, Scalar* panel) {
  const Index width = tile_width(columns);
  if (b.row_stride == 1) {
    for (Index j = 0; j < columns; j += kLaneCount)
      transpose_columns(b.data + j * b.column_stride, b.column_stride, depth,
                        std::min(kLaneCount, columns - j), panel + j, width);
    return;
  }
  for (Index p = 0; p < depth; ++p)
    for (Index j = 0; j < width; ++j)
      panel[p * width + j] =
          j < columns ? b.data[p * b.row_stride + j * b.column_stride] : Scalar(0);
}

}  // namespace

void transpose_columns(const Scalar* first_column, Index stride, Index depth, Index columns,
                       Scalar* rows, Index row_stride) {
  for (Index p = 0; p < depth; p += kLaneCount) {
    const Index steps = std::min(kLaneCount, depth - p);
    Lanes square[kLaneCount];
    if (steps == kLaneCount && columns == kLaneCount)
      unroll<kLaneCount>([&](auto j) { square[j] = load(first_column + j * stride + p); });
    else
      unroll<kLaneCount>([&](auto j) {
        square[j] = j < columns ? load_first(first_column + j * stride + p, steps) : Lanes{};
      });
    transpose(square);
    unroll<kLaneCount>([&](auto i) {
      if (i < steps) store(rows + (p + i) * row_stride, square[i]);
    });
  }
}

Scalar* pack_buffer(Index size) {
  thread_local std::vector<CacheLine> buffer;
  const auto lines = static_cast<std::size_t>(size) * sizeof(Scalar) / sizeof(CacheLine) + 1;
  if (buffer.size() < lines) buffer = std::vector<CacheLine>(lines);
  return buffer.data()->values;
}

void pack_panels(const MatrixView& b, Index depth, Index columns, Scalar* panels) {
  const Index whole = b.column_stride == 1 ? columns / kTileColumns : 0;
  pack_rows(b, depth, whole, panels);
  for (Index j = whole * kTileColumns; j < columns; j += kTileColumns)
    pack_panel({b.data + j * b.column_stride, b.row_stride, b.column_stride}, depth,
               std::min(kTileColumns, columns - j), panels + j * depth);
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
