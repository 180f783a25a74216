#include "tensor/kernels/gemm_ladder.h"

#include <algorithm>

#include "tensor/kernels/gemm.h"
#include "tensor/parallel.h"

namespace vitro::kernels {
namespace {

// A tile of B of 64 x 256 floats (64 KB) stays in the second-level cache while all rows of A use
// it.
constexpr Index kTileDepth = 64;
constexpr Index kTileWidth = 256;

// Adds A B, tile by tile, to the rows [row_begin, row_end) of C.
void add_tiles(Index row_begin, Index row_end, Index n, Index k, const Scalar* a, const Scalar* b,
               Scalar* c) {
  for (Index p0 = 0; p0 < k; p0 += kTileDepth)
    for (Index j0 = 0; j0 < n; j0 += kTileWidth)
      for (Index i = row_begin; i < row_end; ++i)
        for (Index p = p0; p < std::min(p0 + kTileDepth, k); ++p)
          for (Index j = j0; j < std::min(j0 + kTileWidth, n); ++j)
            c[i * n + j] += a[i * k + p] * b[p * n + j];
}

}  // namespace

// Rung 1: the definition. Reads B down its columns: each step of the inner loop touches another
// cache line, of which one number is used.
void gemm_naive(Index m, Index n, Index k, const Scalar* a, const Scalar* b, Scalar* c) {
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      Scalar sum = 0;
      for (Index p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

// Rung 2: the same loops in another order. The innermost now walks along rows of B and C, so every
// number of a cache line is used and the compiler computes a whole register at a time.
void gemm_row_order(Index m, Index n, Index k, const Scalar* a, const Scalar* b, Scalar* c) {
  std::fill_n(c, m * n, Scalar(0));
  for (Index i = 0; i < m; ++i)
    for (Index p = 0; p < k; ++p)
      for (Index j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// Rung 3: tiles. Rung 2 reads all of B for each row of A, from far away once B is larger than the
// cache. Here a tile of B is used by every row before the next one is fetched.
void gemm_cache_tiles(Index m, Index n, Index k, const Scalar* a, const Scalar* b, Scalar* c) {
  std::fill_n(c, m * n, Scalar(0));
  add_tiles(0, m, n, k, a, b, c);
}

// Rung 4: threads. Each takes some rows of C. No two write the same number and no sum is cut, so
// the result does not depend on how many there are.
void gemm_threads(Index m, Index n, Index k, const Scalar* a, const Scalar* b, Scalar* c) {
  std::fill_n(c, m * n, Scalar(0));
  parallel_for(0, m, /*grain=*/8, [&](Index row_begin, Index row_end) {
    add_tiles(row_begin, row_end, n, k, a, b, c);
  });
}

// Rung 5: registers. Rung 4 loads and stores C once for every multiplication; the kernel in use
// keeps a tile of C in registers for the whole sum, and copies B so that it is read front to back.
void gemm_registers(Index m, Index n, Index k, const Scalar* a, const Scalar* b, Scalar* c) {
  gemm({m, n, k, {a, k, 1}, {b, n, 1}, c, n});
}

}  // namespace vitro::kernels
