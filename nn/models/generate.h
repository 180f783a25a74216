// Generation: one token after the other.
#pragma once

#include <vector>

#include "nn/models/gpt.h"
#include "nn/text/sampling.h"

namespace vitro::nn {

/// Whether what was computed for earlier tokens is kept: the same tokens come out, sooner.
enum class Cache { kNo, kYes };

/// `prompt` and `count` tokens more, or fewer where options.stop_token comes, which is then the
/// last one. Each is drawn from the model's prediction after the tokens so far. The model sees at
/// most block_size of them: when they would be more, only the last half of a block is kept, and
/// grows again. The model is switched to eval() and back. Throws std::invalid_argument for an empty
/// prompt, a negative count or options that sample() refuses, std::out_of_range for an id that is
/// no token.
std::vector<Index> generate(Gpt& model, const std::vector<Index>& prompt, Index count,
                            const SamplingOptions& options, Rng& rng, Cache cache = Cache::kYes);

}  // namespace vitro::nn
