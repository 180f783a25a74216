#include "nn/text/bpe_merges.h"

#include <queue>
#include <utility>

namespace vitro::nn {
namespace {

constexpr Index kNone = -1;

// A place where the pair of a rank stood when this was noted; later merges may have taken it.
struct Candidate {
  Index rank;
  Index position;

  // A priority_queue gives its greatest element first: the lowest rank, of these the leftmost.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
  }
};

// A word while it is merged: a doubly linked list of tokens, each at the place where it starts.
class MergeQueue {
 public:
  MergeQueue(const BpeMerges& merges, const std::vector<Index>& tokens)
      : merges_(merges), tokens_(tokens), previous_(tokens.size()), next_(tokens.size()) {
    const auto count = static_cast<Index>(tokens.size());
    for (Index i = 0; i < count; ++i) {
      previous_[i] = i - 1;  // kNone before the first
      next_[i] = i + 1 < count ? i + 1 : kNone;
    }
    for (Index i = 0; i < count; ++i) note(i);
  }

  std::vector<Index> run() {
    std::vector<Index> places;
    while (!candidates_.empty()) {
      // All places of this rank first: what they make may have a merge of a lower rank.
      const Index rank = candidates_.top().rank;
      places.clear();
      while (!candidates_.empty() && candidates_.top().rank == rank) {
        places.push_back(candidates_.top().position);
        candidates_.pop();
      }
      const BpeMerge& merge = merges_.list()[static_cast<std::size_t>(rank)];
      for (const Index place : places) merge_at(place, merge);
    }
    std::vector<Index> result;
    for (const Index token : tokens_) {
      if (token != kNone) result.push_back(token);
    }
    return result;
  }

 private:
  // Enters the pair that starts at a place, if it has a merge.
  void note(Index place) {
    if (place == kNone || next_[place] == kNone) return;
    const Index rank = merges_.rank_of(tokens_[place], tokens_[next_[place]]);
    if (rank != kNone) candidates_.push({rank, place});
  }

  void merge_at(Index place, const BpeMerge& merge) {
    const Index second = next_[place];
    const bool still_stands =
        tokens_[place] == merge.left && second != kNone && tokens_[second] == merge.right;
    if (!still_stands) return;
    tokens_[place] = merge.result;
    tokens_[second] = kNone;
    next_[place] = next_[second];
    if (next_[place] != kNone) previous_[next_[place]] = place;
    note(previous_[place]);
    note(place);
  }

  const BpeMerges& merges_;
  std::vector<Index> tokens_;  // kNone where a merge took it
  std::vector<Index> previous_;
  std::vector<Index> next_;
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

BpeMerges::BpeMerges(std::vector<BpeMerge> merges) : merges_(std::move(merges)) {
  ranks_.reserve(merges_.size());
  for (const BpeMerge& merge : merges_) {
    ranks_.emplace(pair_key(merge.left, merge.right), static_cast<Index>(ranks_.size()));
  }
}

Index BpeMerges::rank_of(Index left, Index right) const {
  const auto found = ranks_.find(pair_key(left, right));
  return found == ranks_.end() ? kNone : found->second;
}

std::vector<Index> BpeMerges::apply(const std::vector<Index>& tokens) const {
  return MergeQueue(*this, tokens).run();
}

}  // namespace vitro::nn
