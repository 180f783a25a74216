// Encoder: a stack of blocks in which every position looks at every position.
#pragma once

#include <vector>

#include "tensor/indices.h"

#include "nn/layers/block.h"
#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/positions.h"
#include "nn/module.h"

namespace vitro::nn {

struct EncoderOptions {
  Index vocab_size = 0;
  Index block_size = 0;  ///< the longest sequence
  Index layer_count = 0;
  BlockOptions block = {};  ///< of each block; `block.positions` follows from `positions`
  PositionKind positions = PositionKind::kLearned;  ///< not kAlibi, which only looks back
  Index padding = -1;  ///< the token that fills up short sequences and is never looked at; -1: none
};

/// Token table + positions → blocks → norm, as BERT and the left half of the first transformer
/// (Vaswani et al., "Attention is all you need", 2017).
class Encoder : public Module {
 public:
  /// Throws std::invalid_argument where a size is below 1, the heads do not divide the channels,
  /// positions are kAlibi or padding is no token.
  Encoder(const EncoderOptions& options, Rng& rng);

  /// tokens [.., time] → [.., time, channels]. Throws ShapeError where time is above block_size,
  /// std::out_of_range for an id that is no token.
  Variable operator()(const Indices& tokens);

  /// Who may be looked at: nobody at padding. No mask where there is no padding token.
  AttentionMask mask_of(const Indices& tokens) const;

  const EncoderOptions& options() const { return options_; }

  /// The blocks' attentions, first to last: to ask for their weights.
  std::vector<MultiHeadAttention*> attentions();

 private:
  const EncoderOptions options_;
  Embedding& tokens_;
  Positions* positions_ = nullptr;  // null where the heads know them
  Dropout& dropout_;
  std::vector<Block*> blocks_;  // children of this module
  Layer& norm_;
};

/// What a label is given to.
enum class Labels { kEachToken, kWholeSequence };

/// Encoder → labels. Matrices start small (draw_small_weights), so that the first loss is near
/// ln(class_count).
class EncoderClassifier : public Module {
 public:
  /// Throws as Encoder does, and where class_count is below 1.
  EncoderClassifier(const EncoderOptions& options, Index class_count, Labels labels, Rng& rng);

  /// tokens [.., time] → logits [.., time, classes] for each token; [.., classes] for the whole
  /// sequence, from the mean over the positions that are no padding.
  Variable operator()(const Indices& tokens);

  Encoder& encoder() { return encoder_; }

 private:
  Variable mean_over_time(const Variable& x, const Indices& tokens) const;

  const Labels labels_;
  Encoder& encoder_;
  Linear& head_;  // [channels, classes]
};

/// [..]: 1 where ids differ from `id`, else 0.
Tensor differs_from(const Indices& ids, Index id);

}  // namespace vitro::nn
