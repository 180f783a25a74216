// Generation: one token after the other.
#pragma once

#include <vector>

#include "nn/models/eval_scope.h"
#include "nn/models/gpt.h"
#include "nn/text/sampling.h"

namespace vitro::nn {

/// Whether what was computed for earlier tokens is kept: the same tokens come out, sooner.
enum class Cache { kNo, kYes };

/// Goes on from a prompt, one token at a time, for who shows each as it comes. The model is in
/// eval() while one lives, and must live as long.
///
///     Generator generator(model, prompt, {.temperature = Scalar(0.8)});
///     for (Index i = 0; i < 50; ++i) std::cout << tokenizer.decode({generator.next(rng)});
class Generator {
 public:
  /// Throws std::invalid_argument for an empty prompt or options that sample() refuses,
  /// std::out_of_range for an id that is no token.
  Generator(Gpt& model, std::vector<Index> prompt, const SamplingOptions& options,
            Cache cache = Cache::kYes);

  /// Draws the next token from the model's prediction after the tokens so far, which it joins. The
  /// model sees at most block_size of them: when they would be more, only the last half of a block
  /// is kept, and grows again. Where it throws, it can be called again and draws the same token.
  Index next(Rng& rng);

 private:
  void cut();
  Tensor next_logits();
  Indices batch_of(Index first) const;

  Gpt& model_;
  const EvalScope evaluation_;
  std::vector<Index> tokens_;  // what the model sees
  const SamplingOptions options_;
  GptCache memory_;  // empty: nothing is kept
};

/// `prompt` and `count` tokens more, as a Generator draws them, or fewer where options.stop_token
/// comes, which is then the last one. Throws likewise, and std::invalid_argument for a negative
/// count.
std::vector<Index> generate(Gpt& model, const std::vector<Index>& prompt, Index count,
                            const SamplingOptions& options, Rng& rng, Cache cache = Cache::kYes);

}  // namespace vitro::nn
