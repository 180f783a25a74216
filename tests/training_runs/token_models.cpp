// Runs that predict tokens: the bare attention layer and the GPTs.
#include <optional>
#include <utility>

#include "autograd/ops.h"
#include "autograd/spelled_out.h"

#include "nn/layers/linear.h"
#include "nn/layers/self_attention.h"
#include "nn/models/gpt.h"
#include "nn/optim/adam.h"
#include "nn/text/token_windows.h"

#include "tests/training_runs/models.h"

namespace vitro::training_runs {
namespace {

constexpr Index kVocabSize = 65;

class Reverser : public nn::Module {
 public:
  Reverser(Index length, Index width, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", 10, width, rng)),
        positions_(add_module<nn::LearnedPositions>("positions", length, width, rng)),
        attention_(add_module<nn::SelfAttention>("attention", width, width, width, rng)),
        head_(add_module<nn::Linear>("head", width, 10, rng)) {
    attention_.keep_weights();
  }

  Variable operator()(const Indices& inputs) {  // [batch, length]
    return head_(attention_(positions_(symbols_(inputs))));
  }

 private:
  nn::Embedding& symbols_;
  nn::LearnedPositions& positions_;
  nn::SelfAttention& attention_;
  nn::Linear& head_;
};

class ReverseRun : public TrainingRun {
 public:
  ReverseRun() : TrainingRun(1), model_(16, 32, rng_) {
    optimizer_ = std::make_unique<nn::Adam>(model_.named_parameters(), nn::AdamOptions{});
  }

  nn::Module& model() override { return model_; }

 protected:
  Variable next_loss() override {
    std::vector<Index> inputs;
    std::vector<Index> targets;
    for (Index row = 0; row < 64; ++row) {
      std::vector<Index> symbols;
      for (Index i = 0; i < 16; ++i) symbols.push_back(rng_.below(10));
      inputs.insert(inputs.end(), symbols.begin(), symbols.end());
      targets.insert(targets.end(), symbols.rbegin(), symbols.rend());
    }
    return cross_entropy(model_(Indices({64, 16}, std::move(inputs))),
                         Indices({64, 16}, std::move(targets)));
  }

 private:
  Reverser model_;
};

// Each token follows from the one before it, or nearly.
std::vector<Index> made_up_text(Rng& rng) {
  std::vector<Index> tokens{0};
  while (tokens.size() < 3000) {
    tokens.push_back((tokens.back() * 3 + rng.below(4) + 1) % kVocabSize);
  }
  return tokens;
}

class GptRun : public TrainingRun {
 public:
  GptRun(std::uint64_t seed, const nn::GptOptions& options, bool spelled_out)
      : TrainingRun(seed),
        windows_(made_up_text(rng_), options.block_size, "the text"),
        model_(options, rng_),
        is_spelled_out_(spelled_out) {
    optimizer_ = std::make_unique<nn::AdamW>(nn::decay_groups(model_, Scalar(0.1)),
                                             nn::AdamOptions{.beta2 = Scalar(0.99)});
  }

  nn::Module& model() override { return model_; }

 protected:
  Variable next_loss() override {
    std::optional<SpelledOut> scope;
    if (is_spelled_out_) scope.emplace();
    const nn::Batch batch = windows_.random(12, rng_);
    return cross_entropy(model_(batch.inputs), batch.targets);
  }

 private:
  nn::TokenWindows windows_;
  nn::Gpt model_;
  const bool is_spelled_out_;
};

}  // namespace

std::unique_ptr<TrainingRun> make_reverse_layer() { return std::make_unique<ReverseRun>(); }

std::unique_ptr<TrainingRun> make_char_gpt() {
  const nn::GptOptions options{.vocab_size = kVocabSize,
                               .block_size = 64,
                               .layer_count = 2,
                               .head_count = 4,
                               .channels = 128};
  return std::make_unique<GptRun>(2, options, false);
}

std::unique_ptr<TrainingRun> make_modern_gpt() {
  const nn::GptOptions options{.vocab_size = kVocabSize,
                               .block_size = 61,
                               .layer_count = 2,
                               .head_count = 6,
                               .key_value_head_count = 2,
                               .channels = 132,
                               .dropout = Scalar(0.1),
                               .bias = nn::Bias::kNo,
                               .norm = nn::NormKind::kRms,
                               .activation = nn::Activation::kSilu,
                               .positions = nn::PositionKind::kRotary,
                               .head = nn::Head::kTied};
  return std::make_unique<GptRun>(3, options, false);
}

std::unique_ptr<TrainingRun> make_spelled_out_gpt() {
  const nn::GptOptions options{.vocab_size = kVocabSize,
                               .block_size = 37,
                               .layer_count = 2,
                               .head_count = 3,
                               .channels = 69,
                               .dropout = Scalar(0.1),
                               .norm_place = nn::NormPlace::kPost,
                               .activation = nn::Activation::kGeluErf,
                               .positions = nn::PositionKind::kAlibi};
  return std::make_unique<GptRun>(4, options, true);
}

}  // namespace vitro::training_runs
