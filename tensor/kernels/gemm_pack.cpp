#include "tensor/kernels/gemm_pack.h"

#include <algorithm>
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

// One panel of any strides and any width.
void pack_panel(const MatrixView& b, Index depth, Index columns, Scalar* panel) {
  const Index width = tile_width(columns);
  for (Index j = 0; j < columns; ++j)
    for (Index p = 0; p < depth; ++p)
      panel[p * width + j] = b.data[p * b.row_stride + j * b.column_stride];
  for (Index j = columns; j < width; ++j)
    for (Index p = 0; p < depth; ++p) panel[p * width + j] = 0;
}

}  // namespace

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
