#include "tensor/kernels/columns.h"

#include <algorithm>

namespace vitro::kernels {
namespace {

constexpr Index kRunCount = 16;

}  // namespace

void sum_columns(const Scalar* __restrict x, Index rows, Index row_stride, Index columns,
                 Scalar* __restrict out) {
  std::fill_n(out, columns, Scalar(0));
  for (Index run = 0; run < kRunCount; ++run) {
    const Index begin = rows * run / kRunCount;
    const Index end = rows * (run + 1) / kRunCount;
    Scalar run_sums[kColumnBlock] = {};
    for (Index row = begin; row < end; ++row) {
      for (Index j = 0; j < columns; ++j) run_sums[j] += x[row * row_stride + j];
    }
    for (Index j = 0; j < columns; ++j) out[j] += run_sums[j];
  }
}

}  // namespace vitro::kernels
