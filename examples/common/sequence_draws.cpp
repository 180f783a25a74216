#include "examples/common/sequence_draws.h"

#include <algorithm>
#include <utility>

namespace vitro::examples {

namespace {

std::vector<Index> random_symbols(Index count, Index symbol_count, Rng& rng) {
  std::vector<Index> symbols;
  for (Index i = 0; i < count; ++i) symbols.push_back(rng.below(symbol_count));
  return symbols;
}

// `count` different numbers below `symbol_count`, in random order.
std::vector<Index> different_symbols(Index count, Index symbol_count, Rng& rng) {
  std::vector<Index> symbols = rng.permutation(symbol_count);
  symbols.resize(static_cast<std::size_t>(count));
  return symbols;
}

}  // namespace

// ---- A label for each token ---------------------------------------------------------------------

SequenceExample draw_copy(Rng& rng) {
  const std::vector<Index> x = random_symbols(16, 10, rng);
  return {x, x};
}

SequenceExample draw_reverse(Rng& rng) {
  const std::vector<Index> x = random_symbols(16, 10, rng);
  return {x, {x.rbegin(), x.rend()}};
}

// Each symbol moves one place to the right, the last one to the front.
SequenceExample draw_shift(Rng& rng) {
  const std::vector<Index> x = random_symbols(16, 10, rng);
  std::vector<Index> shifted = x;
  std::rotate(shifted.begin(), shifted.end() - 1, shifted.end());
  return {x, shifted};
}

SequenceExample draw_sort(Rng& rng) {
  const std::vector<Index> x = random_symbols(16, 10, rng);
  std::vector<Index> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  return {x, sorted};
}

// ---- A GPT's answer -----------------------------------------------------------------------------

namespace {

// What a GPT is trained on: each token predicts the next, and only what `is_answer` says counts.
SequenceExample next_token_example(const std::vector<Index>& tokens,
                                   const std::vector<bool>& is_answer) {
  SequenceExample example;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    example.inputs.push_back(tokens[i]);
    example.targets.push_back(is_answer[i + 1] ? tokens[i + 1] : kNoTarget);
  }
  return example;
}

}  // namespace

// "358+067=" and the sum backwards, "5240": so each digit needs only the digits and the carry that
// the model has already seen.
SequenceExample draw_addition(Rng& rng) {
  const Index a = rng.below(1000);
  const Index b = rng.below(1000);
  std::vector<Index> tokens;
  const auto write = [&tokens](Index number) {
    for (const Index unit : {100, 10, 1}) tokens.push_back(number / unit % 10);
  };
  write(a);
  tokens.push_back(10);  // +
  write(b);
  tokens.push_back(11);  // =
  for (Index rest = a + b, i = 0; i < 4; ++i, rest /= 10) tokens.push_back(rest % 10);
  std::vector<bool> is_answer(8, false);
  is_answer.resize(tokens.size(), true);
  return next_token_example(tokens, is_answer);
}

// Twelve different letters, then five of them again, in their order from a random place on. After
// the first of the five the rest follows: what came after this letter before?
SequenceExample draw_induction(Rng& rng) {
  std::vector<Index> tokens = different_symbols(12, 20, rng);
  const auto start = static_cast<std::size_t>(rng.below(8));
  for (std::size_t i = 0; i < 5; ++i) tokens.push_back(tokens[start + i]);
  std::vector<bool> is_answer(13, false);
  is_answer.resize(tokens.size(), true);
  return next_token_example(tokens, is_answer);
}

// Four letters, each followed by its digit, then letters of these again and again, each with its
// digit: which digit had this letter before?
SequenceExample draw_recall(Rng& rng) {
  const std::vector<Index> keys = different_symbols(4, 10, rng);
  const std::vector<Index> values = different_symbols(4, 10, rng);
  std::vector<Index> tokens;
  std::vector<bool> is_answer;
  const auto write_pair = [&](Index which, bool is_asked) {
    tokens.push_back(10 + keys[static_cast<std::size_t>(which)]);
    tokens.push_back(values[static_cast<std::size_t>(which)]);
    is_answer.push_back(false);
    is_answer.push_back(is_asked);
  };
  for (Index pair = 0; pair < 4; ++pair) write_pair(pair, false);
  for (Index asked = 0; asked < 12; ++asked) write_pair(rng.below(4), true);
  return next_token_example(tokens, is_answer);
}

// ---- One label ----------------------------------------------------------------------------------

namespace {

bool is_balanced(const std::vector<Index>& brackets) {
  Index depth = 0;
  for (const Index bracket : brackets) {
    depth += bracket == 0 ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth == 0;
}

}  // namespace

// Ten opening and ten closing brackets in random order; every second time so turned that they
// match. Both kinds have the same counts: only the order tells them apart.
SequenceExample draw_brackets(Rng& rng) {
  std::vector<Index> brackets;
  for (const Index place : rng.permutation(20)) brackets.push_back(place % 2);
  if (rng.below(2) == 0) {
    Index depth = 0;  // wherever one closes too early, the pair is turned round
    for (Index& bracket : brackets) {
      if (depth == 0 && bracket == 1) {
        const auto next = std::find(&bracket, brackets.data() + brackets.size(), 0);
        std::swap(bracket, *next);
      }
      depth += bracket == 0 ? 1 : -1;
    }
  }
  return {brackets, {is_balanced(brackets) ? 1 : 0}};
}

namespace {

std::vector<Index> counts_of(const std::vector<Index>& symbols, Index symbol_count) {
  std::vector<Index> counts(static_cast<std::size_t>(symbol_count), 0);
  for (const Index symbol : symbols) ++counts[static_cast<std::size_t>(symbol)];
  return counts;
}

}  // namespace

SequenceExample draw_majority(Rng& rng) {
  for (;;) {
    const std::vector<Index> x = random_symbols(15, 4, rng);
    const std::vector<Index> counts = counts_of(x, 4);
    const auto most = std::max_element(counts.begin(), counts.end());
    if (std::count(counts.begin(), counts.end(), *most) > 1) continue;  // no majority
    return {x, {most - counts.begin()}};
  }
}

SequenceExample draw_unique(Rng& rng) {
  for (;;) {
    const std::vector<Index> x = random_symbols(8, 8, rng);
    const std::vector<Index> counts = counts_of(x, 8);
    const auto once = [&counts](Index symbol) {
      return counts[static_cast<std::size_t>(symbol)] == 1;
    };
    const auto first = std::find_if(x.begin(), x.end(), once);
    if (first != x.end()) return {x, {*first}};
  }
}

}  // namespace vitro::examples
