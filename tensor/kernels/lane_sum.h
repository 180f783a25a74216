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
static inline Scalar add_lanes(Scalar* lane) {
  for (Index half = kSumLanes / 2; half > 0; half /= 2) {
    for (Index i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
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

/// The largest element; NaN if there is one, -inf for an empty array.
static inline Scalar lane_max(const Scalar* x, Index count) {
  constexpr Scalar kLowest = -std::numeric_limits<Scalar>::infinity();
  Lanes highest[kSumRegisters];
  Lanes nan{};  // stays 0 in every lane that meets no NaN
  for (Index j = 0; j < kSumRegisters; ++j) highest[j] = broadcast(kLowest);
  const Index full = count - count % kSumLanes;
  for (Index i = 0; i < full; i += kSumLanes) {
    for (Index j = 0; j < kSumRegisters; ++j) {
      const Lanes value = load(x + i + j * kLaneCount);
      highest[j] = max(value, highest[j]);
      nan = select(value == value, nan, value);
    }
  }
  Scalar lane[kSumLanes];
  for (Index j = 0; j < kSumRegisters; ++j) store(lane + j * kLaneCount, highest[j]);
  Scalar nan_lane[kLaneCount];
  store(nan_lane, nan);
  Scalar result = kLowest;
  for (Index i = 0; i < kSumLanes; ++i) result = lane[i] > result ? lane[i] : result;
  for (Index i = 0; i < kLaneCount; ++i) result = nan_lane[i] == 0 ? result : nan_lane[i];
  for (Index i = full; i < count; ++i) result = x[i] > result || x[i] != x[i] ? x[i] : result;
  return result;
}

}  // namespace vitro::kernels
