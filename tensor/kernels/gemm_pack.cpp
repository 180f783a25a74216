#include "tensor/kernels/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tensor/kernels/gemm_micro.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

struct alignas(64) CacheLine {
  Scalar values[64 / sizeof(Scalar)];
};

}  // namespace

Scalar* pack_buffer(PackUse use, Index size) {
  thread_local std::array<std::vector<CacheLine>, 3> buffers;
  std::vector<CacheLine>& buffer = buffers[static_cast<std::size_t>(use)];
  const auto lines = static_cast<std::size_t>(size) * sizeof(Scalar) / sizeof(CacheLine) + 1;
  if (buffer.size() < lines) buffer = std::vector<CacheLine>(lines);
  return buffer.data()->values;
}

void pack_panel(const MatrixView& b, Index depth, Index columns, Scalar* panel) {
  const Index width = tile_width(columns);
  if (columns < width)
    std::memset(panel, 0, static_cast<std::size_t>(depth * width) * sizeof(Scalar));
  if (b.column_stride == 1) {
    for (Index p = 0; p < depth; ++p)
      std::copy_n(b.data + p * b.row_stride, columns, panel + p * width);
  } else {
    for (Index j = 0; j < columns; ++j)
      for (Index p = 0; p < depth; ++p)
        panel[p * width + j] = b.data[p * b.row_stride + j * b.column_stride];
  }
}

void pack_tile(const MatrixView& a, Index rows, Index depth, Scalar* tile) {
  for (Index p = 0; p < depth; ++p)
    for (Index i = 0; i < rows; ++i)
      tile[p * rows + i] = a.data[i * a.row_stride + p * a.column_stride];
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
