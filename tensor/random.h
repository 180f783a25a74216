// Rng: random numbers that are the same on every system.
//
// The generator and the distributions are the project's own, because those of the standard library
// differ between implementations: the same seed gives the same bits everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tensor/scalar.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021),
/// seeded through SplitMix64. Not for secrets. One per thread: calls are not synchronised.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  /// 64 random bits.
  std::uint64_t next();

  /// A number from [0, 1), a multiple of 2^-53.
  double uniform();

  /// A number from [low, high). Throws std::invalid_argument unless low <= high and high - low is
  /// finite.
  Scalar uniform(Scalar low, Scalar high);

  /// The same check alone; `function` opens the error.
  static void check_range(Scalar low, Scalar high, const char* function);

  /// A draw from the normal distribution with mean 0 and standard deviation 1 (Box–Muller).
  double normal();

  /// A whole number from 0 to count - 1, each equally likely. Throws std::invalid_argument for
  /// count < 1.
  Index below(Index count);

  /// 0 … count - 1 in random order. Throws std::invalid_argument for a negative count.
  std::vector<Index> permutation(Index count);

  /// Everything needed to continue later: "a b c d", four hexadecimal words.
  std::string state() const;

  /// Continues from a state(). Throws std::invalid_argument for any other text.
  void set_state(const std::string& state);

 private:
  std::array<std::uint64_t, 4> words_{};
};

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
