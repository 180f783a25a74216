// The training step that benchmarks time: a GPT on random tokens, in the sizes of
// tests/benchmark/peers/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/indices.h"

#include "nn/models/gpt.h"
#include "nn/optim/adam.h"

namespace vitro::training_runs {

struct GptSizes {
  Index layers = 4;
  Index heads = 4;
  Index width = 128;
  Index context = 64;
  Index batch = 12;
  Index vocabulary = 65;
};

/// Configuration "a", "b", "c" or "d". Throws std::invalid_argument for another.
const GptSizes& gpt_sizes(const std::string& name);

nn::GptOptions gpt_options(const GptSizes& sizes);

/// Blocks that normalize first, learned positions, biases, GELU by tanh, an output layer of its
/// own, AdamW on every parameter.
class GptSteps {
 public:
  GptSteps(const GptSizes& sizes, std::uint64_t seed);

  /// The loss of the next batch: there are 64, used in turn.
  Variable next_loss();

  /// One step; returns its loss.
  double step();

  nn::Gpt& model() { return model_; }

  nn::AdamW& optimizer() { return optimizer_; }

 private:
  Rng rng_;
  nn::Gpt model_;
  nn::AdamW optimizer_;
  std::vector<Indices> inputs_;
  std::vector<Indices> targets_;
  std::size_t step_count_ = 0;
};

}  // namespace vitro::training_runs
