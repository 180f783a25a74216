// BpeMerges: the rules of byte-pair encoding, and their application to one word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::nn {

/// Two tokens side by side become one.
struct BpeMerge {
  Index left;
  Index right;
  Index result;
};

/// Token ids lie below 2^31, so two fit into one key.
inline std::uint64_t pair_key(Index left, Index right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

/// Spreads keys whose low bits are alike (the finaliser of SplitMix64).
struct PairHash {
  std::size_t operator()(std::uint64_t key) const {
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9U;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBU;
    return static_cast<std::size_t>(key ^ (key >> 31));
  }
};

/// Immutable, so any number of threads may use it.
class BpeMerges {
 public:
  BpeMerges() = default;

  /// In the order of their ranks: the first is applied first. No pair may come twice.
  explicit BpeMerges(std::vector<BpeMerge> merges);

  const std::vector<BpeMerge>& list() const { return merges_; }

  /// The rank of a pair's merge, or -1 where it has none.
  Index rank_of(Index left, Index right) const;

  /// GPT-2's rule: of all pairs of neighbours that have a merge, the one of the lowest rank is
  /// merged wherever it stands, from left to right; and so on until no pair has a merge. Takes
  /// O(n log n) steps for n tokens: a queue holds the places where something can be merged, so that
  /// no step looks at the whole word (100,000 letters in a row are a single word).
  std::vector<Index> apply(const std::vector<Index>& tokens) const;

 private:
  std::vector<BpeMerge> merges_;
  std::unordered_map<std::uint64_t, Index, PairHash> ranks_;  // by pair
};

}  // namespace vitro::nn
