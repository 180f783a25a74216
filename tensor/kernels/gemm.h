// The matrix product in use: C = A B for any strides, on one thread or several.
//
// Numbers: element (i, j) is one chain of fused multiply-adds over the inner size, in order,
//     c = 0;  for p = 0 … k-1:  c = fma(a[i, p], b[p, j], c)
// then c + bias[j], then + residual[i, j]. Tiles, threads, batch, layout and vector width never
// change that, so they never change a bit of the result. (A processor without fma rounds each
// product before it adds it: other bits than everywhere else, but still the same for any threads.)
#pragma once

#include <span>

#include "tensor/scalar.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {

/// A matrix to read: element (i, j) lies at data[i * row_stride + j * column_stride]. A transposed
/// matrix has its strides swapped, a broadcast one has a stride of 0.
struct MatrixView {
  const Scalar* data;
  Index row_stride;
  Index column_stride;
};

/// What becomes of the values that C holds before the product.
enum class GemmStart {
  kZero,  // C is only written
  kC,     // each chain goes on from the value in C: C += A B, as if A and B had grown in k
};

/// One product [m, k] x [k, n] → [m, n]. C is row-major, element (i, j) at c[i * c_row_stride + j],
/// and overlaps none of the inputs. Sizes may be 0: with k = 0 the chains are empty, the rest
/// holds.
struct Gemm {
  Index m;
  Index n;
  Index k;
  MatrixView a;
  MatrixView b;
  Scalar* c;
  Index c_row_stride;
  GemmStart start = GemmStart::kZero;
  const Scalar* bias = nullptr;      // [n], added to each row; null: none
  const Scalar* residual = nullptr;  // [m, n], added last; null: none
  Index residual_row_stride = 0;
};

/// Computes one product, on several threads if it is large enough.
void gemm(const Gemm& product);

/// Where one product of a batch lies, in Scalars from the pointers of the common `product`.
struct GemmOffsets {
  Index a;
  Index b;
  Index c;
};

/// Computes products of the same sizes and strides, one for each entry of `offsets`; their results
/// must not overlap. Bias and residual, if any, lie at `bias` and at `residual` + the offset of C.
void gemm_batch(const Gemm& product, std::span<const GemmOffsets> offsets);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
