#include "tests/training_runs/gpt_steps.h"

#include <map>
#include <stdexcept>

#include "autograd/ops.h"

namespace vitro::training_runs {
namespace {

constexpr Index kBatchCount = 64;

std::vector<Index> random_tokens(Index count, Index vocab_size, Rng& rng) {
  std::vector<Index> tokens;
  for (Index i = 0; i < count; ++i) tokens.push_back(rng.below(vocab_size));
  return tokens;
}

}  // namespace

const GptSizes& gpt_sizes(const std::string& name) {
  static const std::map<std::string, GptSizes> sizes{{"a", {1, 1, 32, 16, 32, 16}},
                                                     {"b", {2, 4, 64, 32, 32, 32}},
                                                     {"c", {4, 4, 128, 64, 12, 65}},
                                                     {"d", {6, 6, 384, 256, 8, 65}}};
  const auto found = sizes.find(name);
  if (found == sizes.end()) {
    throw std::invalid_argument("gpt_sizes: there is no configuration '" + name + "'");
  }
  return found->second;
}

nn::GptOptions gpt_options(const GptSizes& sizes) {
  nn::GptOptions options;
  options.vocab_size = sizes.vocabulary;
  options.block_size = sizes.context;
  options.layer_count = sizes.layers;
  options.head_count = sizes.heads;
  options.channels = sizes.width;
  return options;
}

GptSteps::GptSteps(const GptSizes& sizes, std::uint64_t seed)
    : rng_(seed),
      model_(gpt_options(sizes), rng_),
      optimizer_({{model_.named_parameters(), Scalar(0.1)}}, {}) {
  const Shape shape{sizes.batch, sizes.context};
  for (Index i = 0; i < kBatchCount; ++i) {
    inputs_.emplace_back(shape, random_tokens(shape.element_count(), sizes.vocabulary, rng_));
    targets_.emplace_back(shape, random_tokens(shape.element_count(), sizes.vocabulary, rng_));
  }
}

Variable GptSteps::next_loss() {
  const std::size_t i = step_count_++ % inputs_.size();
  return cross_entropy(model_(inputs_[i]), targets_[i]);
}

double GptSteps::step() {
  const Variable loss = next_loss();
  optimizer_.zero_grad();
  loss.backward();
  optimizer_.step();
  return static_cast<double>(loss.item());
}

}  // namespace vitro::training_runs
