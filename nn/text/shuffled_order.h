// ShuffledOrder: every item once before any comes again.
#pragma once

#include <string>
#include <vector>

#include "tensor/random.h"

namespace vitro::nn {

/// Numbers from 0 to count - 1 in random order, each once, then all again in another order: what
/// lists are trained on, so that no item waits longer than two rounds.
class ShuffledOrder {
 public:
  /// Draws from a generator of its own, seeded from the given one. Throws std::invalid_argument
  /// where count is below 1.
  ShuffledOrder(Index count, Rng& rng);

  Index next();

  /// The next `count` of them.
  std::vector<Index> next(Index count);

  /// Everything needed to continue later: the place in the round, and the generator before it.
  std::string state() const;

  /// Continues from the state() of an order of as many items. Throws std::invalid_argument for any
  /// other text.
  void set_state(const std::string& state);

 private:
  void start_round();

  Index count_;
  Rng rng_;
  std::string round_start_;  // the generator's state before this round was drawn
  std::vector<Index> round_;
  Index place_ = 0;  // how many of the round are used up
};

}  // namespace vitro::nn
