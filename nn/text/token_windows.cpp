#include "nn/text/token_windows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tensor/indices.h"
#include "tensor/math.h"

namespace vitro::nn {

TokenWindows::TokenWindows(std::vector<Index> tokens, Index block_size, const std::string& name)
    : tokens_(std::move(tokens)), block_size_(block_size) {
  check_size(block_size, "TokenWindows", "block_size");
  if (tokens_.empty()) {
    throw_invalid(
        {"TokenWindows: ", name, " is empty; it needs at least ", block_size + 1, " tokens"});
  }
  if (static_cast<Index>(tokens_.size()) < block_size + 1) {
    throw_invalid({"TokenWindows: ", name, " has ", tokens_.size(), " tokens; with block_size ",
                   block_size, " it needs at least ", block_size + 1});
  }
}

Batch TokenWindows::at(const std::vector<Index>& starts) const {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  for (const Index start : starts) {
    if (start < 0 || start >= count()) {
      throw_out_of_range({"TokenWindows: start ", start, "; it must be from 0 to ", count() - 1});
    }
    const auto from = tokens_.begin() + start;
    inputs.insert(inputs.end(), from, from + block_size_);
    targets.insert(targets.end(), from + 1, from + 1 + block_size_);
  }
  const Shape shape{static_cast<Index>(starts.size()), block_size_};
  return {Indices(shape, std::move(inputs)), Indices(shape, std::move(targets))};
}

Batch TokenWindows::random(Index batch_size, Rng& rng) const {
  check_size(batch_size, "TokenWindows", "batch_size");
  std::vector<Index> starts;
  for (Index i = 0; i < batch_size; ++i) starts.push_back(rng.below(count()));
  return at(starts);
}

std::pair<std::vector<Index>, std::vector<Index>> split_tokens(const std::vector<Index>& tokens,
                                                               double fraction) {
  if (!(fraction >= 0 && fraction <= 1)) {
    throw_invalid({"split_tokens: fraction is ", fraction, "; it must be from 0 to 1"});
  }
  const auto cut = static_cast<Index>(std::floor(fraction * static_cast<double>(tokens.size())));
  return {std::vector<Index>(tokens.begin(), tokens.begin() + cut),
          std::vector<Index>(tokens.begin() + cut, tokens.end())};
}

namespace {

void check_counting(Index validation_count, Index vocab_size, Index order, double pseudo_count) {
  if (order < 0) throw_invalid({"counting_loss: order is ", order, "; it must be 0 or more"});
  check_size(vocab_size, "counting_loss", "vocab_size");
  if (!(pseudo_count > 0) || !std::isfinite(pseudo_count)) {
    throw_invalid(
        {"counting_loss: pseudo_count is ", pseudo_count, "; it must be a finite number above 0"});
  }
  if (validation_count <= order) {
    throw_invalid({"counting_loss: ", validation_count, " validation tokens for order ", order,
                   "; there must be more than that"});
  }
}

}  // namespace

double counting_loss(const std::vector<Index>& train, const std::vector<Index>& validation,
                     Index vocab_size, Index order, double pseudo_count) {
  check_counting(static_cast<Index>(validation.size()), vocab_size, order, pseudo_count);
  for (const std::vector<Index>* tokens : {&train, &validation}) {
    for (const Index token : *tokens) check_id(token, vocab_size, "counting_loss", "token");
  }

  struct Counts {
    std::map<Index, double> next;
    double total = 0;
  };

  std::map<std::vector<Index>, Counts> by_context;
  const Index first = std::min(order, static_cast<Index>(train.size()));
  for (auto token = train.begin() + first; token < train.end(); ++token) {
    Counts& counts = by_context[std::vector<Index>(token - order, token)];
    counts.next[*token] += 1;
    counts.total += 1;
  }
  double loss = 0;
  for (auto token = validation.begin() + order; token < validation.end(); ++token) {
    const Counts& counts = by_context[std::vector<Index>(token - order, token)];
    const auto found = counts.next.find(*token);
    const double seen = found == counts.next.end() ? 0 : found->second;
    const double possible = counts.total + pseudo_count * static_cast<double>(vocab_size);
    loss -= math::log((seen + pseudo_count) / possible);
  }
  return loss / static_cast<double>(static_cast<Index>(validation.size()) - order);
}

}  // namespace vitro::nn
