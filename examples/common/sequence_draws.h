// One example of each task: a sequence and its right answer.
#pragma once

#include <vector>

#include "tensor/random.h"

namespace vitro::examples {

/// No target here: the loss does not count it (cross_entropy's ignore_index).
inline constexpr Index kNoTarget = -100;

struct SequenceExample {
  std::vector<Index> inputs;
  std::vector<Index> targets;  ///< one for each input, or one for the whole
};

/// Each symbol again; 16 digits, as in the next three.
SequenceExample draw_copy(Rng& rng);

/// The last one first.
SequenceExample draw_reverse(Rng& rng);

/// Each one place to the right, the last to the front.
SequenceExample draw_shift(Rng& rng);

/// In order.
SequenceExample draw_sort(Rng& rng);

/// "358+067=" and the sum backwards, "5240".
SequenceExample draw_addition(Rng& rng);

/// Twelve different letters, then five of them again, in their order.
SequenceExample draw_induction(Rng& rng);

/// Four letters with a digit each, then twelve times one of them with its digit.
SequenceExample draw_recall(Rng& rng);

/// Ten opening and ten closing brackets: 1 where they match.
SequenceExample draw_brackets(Rng& rng);

/// The most frequent of 15 symbols.
SequenceExample draw_majority(Rng& rng);

/// The first of eight digits that comes only once.
SequenceExample draw_unique(Rng& rng);

}  // namespace vitro::examples
