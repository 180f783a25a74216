#include "tensor/kernels/reduce.h"

#include <algorithm>

#include "tensor/kernels/lane_sum.h"

namespace vitro::kernels {

Scalar sum_array(const Scalar* x, Index count) {
  return lane_sum(count, [=](auto at) { return at(x); });
}

Scalar max_array(const Scalar* x, Index count) { return lane_max(x, count); }

void sum_columns(const Scalar* __restrict x, Index rows, Index row_stride, Index columns,
                 Scalar* __restrict sum) {
  std::fill_n(sum, columns, Scalar(0));
  for (Index chunk = 0; chunk < kRowChunkCount; ++chunk) {
    const Index begin = rows * chunk / kRowChunkCount;
    const Index end = rows * (chunk + 1) / kRowChunkCount;
    Scalar chunk_sums[kColumnBlock] = {};
    for (Index row = begin; row < end; ++row) {
      for (Index j = 0; j < columns; ++j) chunk_sums[j] += x[row * row_stride + j];
    }
    for (Index j = 0; j < columns; ++j) sum[j] += chunk_sums[j];
  }
}

RowRange row_chunk(Index rows, Index chunk) {
  const Index quotient = rows / kRowChunkCount;
  const Index remainder = rows % kRowChunkCount;
  // The first `remainder` chunks have one row more.
  const Index begin = chunk * quotient + (chunk < remainder ? chunk : remainder);
  return {begin, begin + quotient + (chunk < remainder ? 1 : 0)};
}

namespace {

void add_to(Scalar* __restrict sum, const Scalar* __restrict x, Index count) {
  for (Index i = 0; i < count; ++i) sum[i] += x[i];
}

}  // namespace

void combine_row_chunks(Scalar* partial_sums, Scalar* sum, Index columns) {
  for (Index half = kRowChunkCount / 2; half > 0; half /= 2) {
    add_to(partial_sums, partial_sums + half * columns, half * columns);
  }
  for (Index j = 0; j < columns; ++j) sum[j] = partial_sums[j];
}

}  // namespace vitro::kernels
