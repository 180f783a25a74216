// Loops that apply a branch-free function to every element of an array.
//
// The compiler turns them into lanes: the pointers are __restrict and the function captures at most
// numbers. An array that is no multiple of the block ends with a block that overlaps the one before
// (its shared elements are computed twice, to the same bits), a short array is padded to one block.
#pragma once

#include "tensor/scalar.h"

namespace vitro::kernels {

/// Elements per step: whole registers for every instruction set.
constexpr Index kMapBlock = 16;

/// y[i] = function(x[i]).
template <class Function>
static inline void map_lanes(const Scalar* __restrict x, Scalar* __restrict y, Index count,
                             Function function) {
  const Index full = count - count % kMapBlock;
  for (Index i = 0; i < full; ++i) y[i] = function(x[i]);
  if (full == count) return;
  if (full > 0) {
    const Index last = count - kMapBlock;
    for (Index i = 0; i < kMapBlock; ++i) y[last + i] = function(x[last + i]);
    return;
  }
  Scalar in[kMapBlock] = {};
  Scalar out[kMapBlock];
  for (Index i = 0; i < count; ++i) in[i] = x[i];
  for (Index i = 0; i < kMapBlock; ++i) out[i] = function(in[i]);
  for (Index i = 0; i < count; ++i) y[i] = out[i];
}

/// y[i] = function(a[i], b[i]).
template <class Function>
static inline void map_lanes(const Scalar* __restrict a, const Scalar* __restrict b,
                             Scalar* __restrict y, Index count, Function function) {
  const Index full = count - count % kMapBlock;
  for (Index i = 0; i < full; ++i) y[i] = function(a[i], b[i]);
  if (full == count) return;
  if (full > 0) {
    const Index last = count - kMapBlock;
    for (Index i = 0; i < kMapBlock; ++i) y[last + i] = function(a[last + i], b[last + i]);
    return;
  }
  Scalar in_a[kMapBlock] = {};
  Scalar in_b[kMapBlock] = {};
  Scalar out[kMapBlock];
  for (Index i = 0; i < count; ++i) {
    in_a[i] = a[i];
    in_b[i] = b[i];
  }
  for (Index i = 0; i < kMapBlock; ++i) out[i] = function(in_a[i], in_b[i]);
  for (Index i = 0; i < count; ++i) y[i] = out[i];
}

}  // namespace vitro::kernels
