#include "nn/models/generate.h"

#include <algorithm>
#include <utility>

#include "tensor/indices.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"

#include "nn/models/eval_scope.h"

namespace vitro::nn {
namespace {

// What the model sees of the tokens so far, and what it remembers of them.
class Window {
 public:
  Window(Gpt& model, std::vector<Index> tokens, Cache cache)
      : model_(model), tokens_(std::move(tokens)) {
    if (cache == Cache::kYes) memory_ = model.make_cache();
  }

  void append(Index token) { tokens_.push_back(token); }

  /// The logits after the last token, [vocab].
  Tensor next_logits() {
    cut();
    const Variable logits =
        memory_.empty() ? model_(batch_of(0)) : new_logits();              // [1, time, vocab]
    const Tensor last = narrow(logits.value(), 1, logits.size(1) - 1, 1);  // [1, 1, vocab]
    return reshape(last, {-1});
  }

 private:
  // Cutting a full window to its last half, and not by one token a step, lets the memory grow
  // again: positions count from the window's start, so every cut has to begin anew.
  void cut() {
    const Index block_size = model_.options().block_size;
    if (static_cast<Index>(tokens_.size()) <= block_size) return;
    const Index kept = std::max<Index>(1, block_size / 2);
    tokens_.erase(tokens_.begin(), tokens_.end() - kept);
    for (KeyValueCache& layer : memory_) layer.clear();
  }

  // Of the tokens that the memory does not hold yet.
  Variable new_logits() { return model_(batch_of(memory_.front().length()), memory_); }

  Indices batch_of(Index first) const {
    std::vector<Index> part(tokens_.begin() + first, tokens_.end());
    const auto time = static_cast<Index>(part.size());
    return Indices({1, time}, std::move(part));
  }

  Gpt& model_;
  std::vector<Index> tokens_;
  GptCache memory_;  // empty: nothing is kept
};

}  // namespace

std::vector<Index> generate(Gpt& model, const std::vector<Index>& prompt, Index count,
                            const SamplingOptions& options, Rng& rng, Cache cache) {
  if (prompt.empty()) throw_invalid({"generate: the prompt is empty; give at least one token"});
  if (count < 0) throw_invalid({"generate: count is ", count, "; it must be 0 or more"});
  check_sampling(options);
  for (const Index id : prompt) {
    check_id(id, model.options().vocab_size, "generate", "token id");
  }
  const NoGrad no_grad;
  const EvalScope evaluation(model);
  std::vector<Index> tokens = prompt;
  Window window(model, prompt, cache);
  for (Index i = 0; i < count; ++i) {
    tokens.push_back(sample(window.next_logits(), options, rng));
    if (tokens.back() == options.stop_token) break;
    window.append(tokens.back());
  }
  return tokens;
}

}  // namespace vitro::nn
