// Shared by the kernel tests: repeatable numbers, hard values, and a hash of result bits.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::test_support {

using Values = std::vector<Scalar>;

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
constexpr Scalar kNan = std::numeric_limits<Scalar>::quiet_NaN();
constexpr bool kIsFloat = sizeof(Scalar) == 4;

/// Numbers in (-scale, scale) from a small linear generator, the same on every machine.
inline Values numbers(Index count, std::uint32_t seed, Scalar scale = 4) {
  Values result(static_cast<std::size_t>(count));
  for (Scalar& value : result) {
    seed = seed * 1664525U + 1013904223U;
    value = scale * (static_cast<Scalar>(seed >> 8) / 8388608 - 1);
  }
  return result;
}

/// A hash of the exact bits of results (FNV-1a over whole numbers).
class BitHash {
 public:
  void add(const Values& values) {
    using Bits = std::conditional_t<kIsFloat, std::uint32_t, std::uint64_t>;
    for (const Scalar value : values) hash_ = (hash_ ^ std::bit_cast<Bits>(value)) * kPrime;
  }

  std::uint64_t value() const { return hash_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

/// What the softmax and normalization tests compute as plain references.
using Doubles = std::vector<double>;

/// Row i of a [rows, columns] matrix, as double.
inline Doubles row_of(const Values& x, Index i, Index columns) {
  return Doubles(x.begin() + i * columns, x.begin() + (i + 1) * columns);
}

}  // namespace vitro::test_support
