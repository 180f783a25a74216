// EncoderDecoder: reads one sequence and writes another, looking back at what it read.
#pragma once

#include <vector>

#include "nn/models/encoder.h"

namespace vitro::nn {

/// Self-attention to what was written so far, cross-attention to what was read, feed-forward; each
/// added to what came in, with its norm before it or after the sum (see NormPlace).
class DecoderBlock : public Module {
 public:
  DecoderBlock(const BlockOptions& options, Rng& rng);

  /// x [.., time, channels], memory [.., source time, channels] → x's shape. Position t sees
  /// positions 0 … t, and of memory what `memory_mask` allows.
  Variable operator()(const Variable& x, const Variable& memory, const AttentionMask& memory_mask);

  /// To ask for its weights: where each written position looked in what was read.
  MultiHeadAttention& cross_attention() { return cross_attention_; }

 private:
  const NormPlace norm_place_;
  Layer& norm_1_;
  MultiHeadAttention& self_attention_;
  Layer& norm_2_;
  MultiHeadAttention& cross_attention_;
  Layer& norm_3_;
  FeedForward& feed_forward_;
  Dropout& dropout_;
};

struct EncoderDecoderOptions {
  EncoderOptions source = {};  ///< its block options and kind of positions are the decoder's, too
  Index target_vocab_size = 0;
  Index target_block_size = 0;  ///< the longest target sequence
  Index decoder_layer_count = 0;
};

/// The first transformer (Vaswani et al., "Attention is all you need", 2017). While training, the
/// decoder is given the right target and predicts each token from those before it (teacher
/// forcing); afterwards it goes on from its own: see decode(). Matrices start small
/// (draw_small_weights), encoder and decoder each by its own number of branches.
class EncoderDecoder : public Module {
 public:
  /// Throws as Encoder does, and where a target size is below 1.
  EncoderDecoder(const EncoderDecoderOptions& options, Rng& rng);

  /// sources [batch, source time], targets [batch, time] → logits [batch, time, target vocab]:
  /// position t predicts target t + 1. Throws ShapeError where a sequence is too long or the
  /// batches differ, std::out_of_range for an id that is no token.
  Variable operator()(const Indices& sources, const Indices& targets);

  /// The two halves of it: sources → memory [batch, source time, channels], and memory → logits.
  Variable encode(const Indices& sources);
  Variable decode(const Variable& memory, const AttentionMask& memory_mask, const Indices& targets);

  Encoder& encoder() { return encoder_; }

  /// The decoder's blocks, first to last.
  const std::vector<DecoderBlock*>& decoder_blocks() const { return blocks_; }

  const EncoderDecoderOptions& options() const { return options_; }

 private:
  const EncoderDecoderOptions options_;
  Encoder& encoder_;
  Embedding& targets_;
  Positions* positions_ = nullptr;  // null where the heads know them
  Dropout& dropout_;
  std::vector<DecoderBlock*> blocks_;  // children of this module
  Layer& norm_;
  Linear& head_;  // [channels, target vocab]
};

}  // namespace vitro::nn
