#include "nn/models/generate.h"

#include <algorithm>
#include <utility>

#include "tensor/indices.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"

#include "nn/models/eval_scope.h"

namespace vitro::nn {

Generator::Generator(Gpt& model, std::vector<Index> prompt, const SamplingOptions& options,
                     Cache cache)
    : model_(model), evaluation_(model), tokens_(std::move(prompt)), options_(options) {
  if (tokens_.empty()) throw_invalid({"generate: the prompt is empty; give at least one token"});
  check_sampling(options_);
  for (const Index id : tokens_) check_id(id, model.options().vocab_size, "generate", "token id");
  if (cache == Cache::kYes) memory_ = model.make_cache();
  tokens_.reserve(tokens_.size() + static_cast<std::size_t>(model.options().block_size) + 1);
}

Index Generator::next(Rng& rng) {
  const NoGrad no_grad;
  cut();
  NewTokens in_memory(memory_);
  const Index token = sample(next_logits(), options_, rng);
  in_memory.arrived();
  tokens_.push_back(token);  // there is room: what was drawn cannot be lost
  return token;
}

// Cutting a full window to its last half, and not by one token a step, lets the memory grow again:
// positions count from the window's start, so every cut has to begin anew.
void Generator::cut() {
  const Index block_size = model_.options().block_size;
  if (static_cast<Index>(tokens_.size()) <= block_size) return;
  const Index kept = std::max<Index>(1, block_size / 2);
  tokens_.erase(tokens_.begin(), tokens_.end() - kept);
  for (KeyValueCache& layer : memory_) layer.clear();
}

// The logits after the last token, [vocab].
Tensor Generator::next_logits() {
  if (!memory_.empty()) {
    const Index known = memory_.front().length();
    return reshape(model_.next_logits(batch_of(known), memory_).value(), {-1});
  }
  const Tensor logits = model_(batch_of(0)).value();               // [1, time, vocab]
  return reshape(narrow(logits, 1, logits.size(1) - 1, 1), {-1});  // [vocab]
}

// The tokens from the given one on, [1, time].
Indices Generator::batch_of(Index first) const {
  std::vector<Index> part(tokens_.begin() + first, tokens_.end());
  const auto time = static_cast<Index>(part.size());
  return Indices({1, time}, std::move(part));
}

std::vector<Index> generate(Gpt& model, const std::vector<Index>& prompt, Index count,
                            const SamplingOptions& options, Rng& rng, Cache cache) {
  if (count < 0) throw_invalid({"generate: count is ", count, "; it must be 0 or more"});
  Generator generator(model, prompt, options, cache);
  std::vector<Index> tokens = prompt;
  for (Index i = 0; i < count; ++i) {
    tokens.push_back(generator.next(rng));
    if (tokens.back() == options.stop_token) break;
  }
  return tokens;
}

}  // namespace vitro::nn
