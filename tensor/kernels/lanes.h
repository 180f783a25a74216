// Lanes: one vector register full of Scalars, the only type through which kernels see SIMD.
//
// GCC and Clang know vectors as a language extension, so + - * > == work lane by lane and the same
// source serves AVX-512, AVX2, SSE2 and ARM. Other compilers get a plain array with the same
// operators. Everything here is `static`: each file keeps its own copy, compiled with its own
// -ffp-contract, so the matrix product's (=fast) can never end up in another file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tensor/scalar.h"

namespace vitro::kernels {

#if defined(__AVX512F__)
constexpr Index kLaneBytes = 64;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr Index kLaneBytes = 32;
#else
constexpr Index kLaneBytes = 16;
#endif

/// Scalars in one register: 16 floats or 8 doubles with AVX-512.
constexpr Index kLaneCount = kLaneBytes / Index{sizeof(Scalar)};

#if defined(__GNUC__) && !defined(VITRO_PLAIN_LANES)

using Lanes = Scalar __attribute__((vector_size(kLaneBytes)));
/// What a comparison of Lanes gives: all bits set where it holds, none where it does not.
using LaneMask = decltype(Lanes{} > Lanes{});

#else

struct LaneMask {
  bool lane[kLaneCount];
};

struct alignas(kLaneBytes) Lanes {
  Scalar lane[kLaneCount];

  Scalar& operator[](Index i) { return lane[i]; }

  const Scalar& operator[](Index i) const { return lane[i]; }
};

template <class Result, class Operation>
static inline Result lane_by_lane(Operation operation) {
  Result result;
  for (Index i = 0; i < kLaneCount; ++i) result.lane[i] = operation(i);
  return result;
}

static inline Lanes operator+(Lanes a, Lanes b) {
  return lane_by_lane<Lanes>([&](Index i) { return a[i] + b[i]; });
}

static inline Lanes operator-(Lanes a, Lanes b) {
  return lane_by_lane<Lanes>([&](Index i) { return a[i] - b[i]; });
}

static inline Lanes operator*(Lanes a, Lanes b) {
  return lane_by_lane<Lanes>([&](Index i) { return a[i] * b[i]; });
}

static inline Lanes& operator+=(Lanes& a, Lanes b) { return a = a + b; }

static inline LaneMask operator>(Lanes a, Lanes b) {
  return lane_by_lane<LaneMask>([&](Index i) { return a[i] > b[i]; });
}

static inline LaneMask operator==(Lanes a, Lanes b) {
  return lane_by_lane<LaneMask>([&](Index i) { return a[i] == b[i]; });
}

#endif

/// kLaneCount Scalars from memory of any alignment.
static inline Lanes load(const Scalar* from) {
  Lanes result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

static inline void store(Scalar* to, Lanes value) { std::memcpy(to, &value, sizeof(value)); }

/// The first `count` lanes from memory, the rest 0; nothing behind them is read.
static inline Lanes load_first(const Scalar* from, Index count) {
  Lanes result{};
  std::memcpy(&result, from, static_cast<std::size_t>(count) * sizeof(Scalar));
  return result;
}

/// sum + a · b. Only for files compiled with -ffp-contract=fast, where it is one instruction; plain
/// lanes, which compilers take apart, ask for the fused operation by name.
static inline Lanes multiply_add(Lanes a, Lanes b, Lanes sum) {
#if defined(__GNUC__) && !defined(VITRO_PLAIN_LANES)
  return sum + a * b;
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA) || (defined(_MSC_VER) && defined(__AVX2__))
  return lane_by_lane<Lanes>([&](Index i) { return std::fma(a[i], b[i], sum[i]); });
#else
  return sum + a * b;
#endif
}

/// Starts to fetch the cache line of `address`, which is soon to be written.
static inline void prefetch_for_write([[maybe_unused]] const Scalar* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#endif
}

/// The same value in every lane.
static inline Lanes broadcast(Scalar value) {
#if defined(__GNUC__) && !defined(VITRO_PLAIN_LANES)
  return value - Lanes{};  // The extension spreads the scalar; x - 0 is x, for -0 too.
#else
  return lane_by_lane<Lanes>([&](Index) { return value; });
#endif
}

/// `yes` where the mask holds, `no` elsewhere.
static inline Lanes select(LaneMask mask, Lanes yes, Lanes no) {
#if defined(__GNUC__) && !defined(VITRO_PLAIN_LANES)
  return mask ? yes : no;
#else
  return lane_by_lane<Lanes>([&](Index i) { return mask.lane[i] ? yes[i] : no[i]; });
#endif
}

/// Lane i of the result is lane kFrom[i] of a and b side by side (b's lanes count from kLaneCount).
template <Index... kFrom>
static inline Lanes shuffle(Lanes a, Lanes b) {
#if defined(__GNUC__) && !defined(VITRO_PLAIN_LANES)
  return __builtin_shufflevector(a, b, kFrom...);
#else
  constexpr Index from[] = {kFrom...};
  return lane_by_lane<Lanes>(
      [&](Index i) { return from[i] < kLaneCount ? a[from[i]] : b[from[i] - kLaneCount]; });
#endif
}

/// The larger of each pair; b where either is NaN.
static inline Lanes max(Lanes a, Lanes b) { return select(a > b, a, b); }

/// Calls body(0), body(1), … body(kCount - 1) with constants. The compiler sees straight-line code,
/// and an array of Lanes that only constants index becomes registers (a loop leaves it in memory).
template <Index kCount, class Body>
static inline void unroll(const Body& body) {
  [&]<Index... kStep>(std::integer_sequence<Index, kStep...>) {
    (body(std::integral_constant<Index, kStep>{}), ...);
  }
  (std::make_integer_sequence<Index, kCount>{});
}

}  // namespace vitro::kernels
