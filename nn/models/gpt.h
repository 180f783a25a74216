// Gpt: a stack of causal blocks that predicts the next token.
#pragma once

#include <vector>

#include "tensor/indices.h"

#include "nn/layers/block.h"
#include "nn/layers/embedding.h"
#include "nn/layers/positions.h"
#include "nn/module.h"

namespace vitro::nn {

/// Whether the output layer uses the token table's weights or its own.
enum class Head { kTied, kUntied };

struct GptOptions {
  Index vocab_size = 0;
  Index block_size = 0;  ///< the longest sequence
  Index layer_count = 0;
  Index head_count = 1;            ///< must divide channels
  Index key_value_head_count = 0;  ///< see MultiHeadAttentionOptions; 0: head_count
  Index channels = 0;
  Scalar dropout = 0;
  Bias bias = Bias::kYes;
  NormKind norm = NormKind::kLayer;
  Scalar norm_epsilon = Scalar(1e-5);
  NormPlace norm_place = NormPlace::kPre;
  Activation activation = Activation::kGeluTanh;
  PositionKind positions = PositionKind::kLearned;
  Head head = Head::kUntied;
};

/// What every block of a Gpt remembers of earlier tokens.
using GptCache = std::vector<KeyValueCache>;

/// GPT-2's shape (Radford et al., "Language models are unsupervised multitask learners", 2019):
/// token table + positions → blocks → norm → logits. Matrices start as normal draws of standard
/// deviation 0.02, those at the end of a branch 0.02/√(2·layer_count), so that the first loss is
/// near ln(vocab_size).
class Gpt : public Module {
 public:
  /// Throws std::invalid_argument where a size is below 1 or the heads do not divide the channels.
  Gpt(const GptOptions& options, Rng& rng);

  /// tokens [.., time] → logits [.., time, vocab_size]: position t predicts token t + 1 and sees
  /// tokens 0 … t. Throws ShapeError where time is above block_size, std::out_of_range for an id
  /// that is no token.
  Variable operator()(const Indices& tokens);

  /// The same for tokens [batch, time] that follow those in the cache, which they join: the same
  /// logits, for the new tokens only. For generation, under NoGrad. Where it throws, they do not
  /// join it.
  Variable operator()(const Indices& tokens, GptCache& cache);

  /// The logits after the last of these tokens alone, [batch, 1, vocab_size]: where the vocabulary
  /// is large, they cost as much as several blocks. Throws ShapeError also for no token.
  Variable next_logits(const Indices& tokens, GptCache& cache);

  const GptOptions& options() const { return options_; }

  /// An empty cache for this model.
  GptCache make_cache() const;

  /// The blocks' attentions, first to last: to ask for their weights.
  std::vector<MultiHeadAttention*> attentions();

 private:
  void check_tokens(const Indices& tokens, Index start) const;
  Variable embed(const Indices& tokens, Index start);
  Variable follow(const Indices& tokens, GptCache& cache);
  Variable to_logits(const Variable& x);

  const GptOptions options_;
  Embedding& tokens_;
  Positions* positions_ = nullptr;  // null where the heads know them
  Dropout& dropout_;
  std::vector<Block*> blocks_;  // children of this module
  Layer& norm_;
  Variable head_;  // [vocab_size, channels]
};

}  // namespace vitro::nn
