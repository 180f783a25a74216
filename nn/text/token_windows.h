// Windows of a long row of tokens, as training batches.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/indices.h"
#include "tensor/random.h"

namespace vitro::nn {

/// Inputs and, for each of them, the token that follows it.
struct Batch {
  Indices inputs;   ///< [batch, time]
  Indices targets;  ///< [batch, time]: targets[b, t] follows inputs[b, t] in the text
};

/// All stretches of `block_size` tokens and the token after each.
class TokenWindows {
 public:
  /// `name` says what the tokens are, for errors: "the training text". Throws
  /// std::invalid_argument where there are not block_size + 1 tokens.
  TokenWindows(std::vector<Index> tokens, Index block_size, const std::string& name);

  /// How many windows there are: one for each start, the last included.
  Index count() const { return static_cast<Index>(tokens_.size()) - block_size_; }

  const std::vector<Index>& tokens() const { return tokens_; }

  /// Windows at the given starts. Throws std::out_of_range.
  Batch at(const std::vector<Index>& starts) const;

  /// `batch_size` windows at random starts, each start equally likely. Throws
  /// std::invalid_argument where it is below 1.
  Batch random(Index batch_size, Rng& rng) const;

 private:
  std::vector<Index> tokens_;
  Index block_size_;
};

/// The first part and the rest: floor(fraction · count) tokens, and what remains. Throws
/// std::invalid_argument unless 0 <= fraction <= 1.
std::pair<std::vector<Index>, std::vector<Index>> split_tokens(const std::vector<Index>& tokens,
                                                               double fraction);

/// The loss, in nats a token, of guessing each token of `validation` from the `order` tokens before
/// it, by counts in `train`: what a model must beat to have learnt more than letter statistics.
/// Order 0 counts single tokens, 1 pairs, 2 triples. Counts start at `pseudo_count`, so that what
/// never occurred is not impossible. Throws std::invalid_argument where `order` is negative or
/// leaves no validation token, vocab_size is below 1, or pseudo_count is not above 0.
double counting_loss(const std::vector<Index>& train, const std::vector<Index>& validation,
                     Index vocab_size, Index order, double pseudo_count = 0.1);

}  // namespace vitro::nn
