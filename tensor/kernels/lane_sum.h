// Sums and maxima in one fixed order, independent of the register width.
//
// A sum has 16 lanes: lane i adds the elements i, i + 16, i + 32, … from the left; then the lanes
// are added pairwise, i and i + 8, then i and i + 4, i + 2, i + 1. Sixteen lanes are one AVX-512
// register of floats or four of SSE2: every instruction set computes the same bits.
#pragma once

#include <limits>

#include "tensor/kernels/lanes.h"

namespace vitro::kernels {

constexpr Index kSumLanes = 16;
constexpr Index kSumRegisters = kSumLanes / kLaneCount;

/// Reads a register full of elements at `index`. A term of a sum is written once, for this and for
/// ElementAt: `[&](auto at) { return at(x) * at(y); }`.
struct LanesAt {
  Index index;

  Lanes operator()(const Scalar* x) const { return load(x + index); }

  Lanes all(Scalar value) const { return broadcast(value); }
};

/// Reads the one element at `index`.
struct ElementAt {
  Index index;

  Scalar operator()(const Scalar* x) const { return x[index]; }

  Scalar all(Scalar value) const { return value; }
};

/// The sum of 16 lanes, pairwise.
static inline Scalar add_lanes(const Scalar* lane) {
  Scalar eight[8];
  Scalar four[4];
  for (Index i = 0; i < 8; ++i) eight[i] = lane[i] + lane[i + 8];
  for (Index i = 0; i < 4; ++i) four[i] = eight[i] + eight[i + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// Σ term(i) for i in [0, count), in the fixed order.
template <class Term>
static inline Scalar lane_sum(Index count, Term term) {
  Lanes sums[kSumRegisters] = {};
  const Index full = count - count % kSumLanes;
  for (Index i = 0; i < full; i += kSumLanes) {
    for (Index j = 0; j < kSumRegisters; ++j) {
      sums[j] = sums[j] + term(LanesAt{i + j * kLaneCount});
    }
  }
  Scalar lane[kSumLanes];
  for (Index j = 0; j < kSumRegisters; ++j) store(lane + j * kLaneCount, sums[j]);
  for (Index i = full; i < count; ++i) lane[i - full] += term(ElementAt{i});
  return add_lanes(lane);
}

/// The largest of 16 lanes without NaN, pairwise; no branches, whose outcome would be a coin's.
static inline Scalar largest_lane(const Scalar* lane) {
  const auto larger = [](Scalar a, Scalar b) { return a > b ? a : b; };
  Scalar eight[8];
  Scalar four[4];
  for (Index i = 0; i < 8; ++i) eight[i] = larger(lane[i], lane[i + 8]);
  for (Index i = 0; i < 4; ++i) four[i] = larger(eight[i], eight[i + 4]);
  return larger(larger(four[0], four[2]), larger(four[1], four[3]));
}

/// The largest element; NaN if there is one, -inf for an empty array.
static inline Scalar lane_max(const Scalar* x, Index count) {
  Lanes highest[kSumRegisters];
  Lanes nans[kSumRegisters] = {};  // 0 in every lane that meets no NaN, so that their sum says it
  for (Lanes& lanes : highest) lanes = broadcast(-std::numeric_limits<Scalar>::infinity());
  const Index full = count - count % kSumLanes;
  for (Index i = 0; i < full; i += kSumLanes) {
    for (Index j = 0; j < kSumRegisters; ++j) {
      const Lanes value = load(x + i + j * kLaneCount);
      highest[j] = max(value, highest[j]);  // a NaN leaves it as it is
      nans[j] = select(value == value, nans[j], value);
    }
  }
  Scalar lane[kSumLanes];
  Scalar nan_lane[kSumLanes];
  for (Index j = 0; j < kSumRegisters; ++j) {
    store(lane + j * kLaneCount, highest[j]);
    store(nan_lane + j * kLaneCount, nans[j]);
  }
  for (Index i = full; i < count; ++i) {
    lane[i - full] = x[i] > lane[i - full] ? x[i] : lane[i - full];
    nan_lane[i - full] = x[i] == x[i] ? nan_lane[i - full] : x[i];
  }
  const Scalar nan = add_lanes(nan_lane);
  return nan == 0 ? largest_lane(lane) : nan;
}

}  // namespace vitro::kernels
