#include "nn/models/encoder_decoder.h"

#include <utility>

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

const EncoderDecoderOptions& checked(const EncoderDecoderOptions& options) {
  check_size(options.target_vocab_size, "EncoderDecoder", "target_vocab_size");
  check_size(options.target_block_size, "EncoderDecoder", "target_block_size");
  check_size(options.decoder_layer_count, "EncoderDecoder", "decoder_layer_count");
  return options;
}

// Positions in two sequences have no distance, so only the self-attention knows them.
BlockOptions without_positions(BlockOptions options) {
  options.positions = HeadPositions::kNone;
  return options;
}

std::unique_ptr<Layer> norm_of(const BlockOptions& options) {
  return make_norm(options.norm, options.channels, options.norm_epsilon);
}

}  // namespace

DecoderBlock::DecoderBlock(const BlockOptions& options, Rng& rng)
    : norm_place_(options.norm_place),
      norm_1_(own("norm_1", norm_of(options))),
      self_attention_(add_module<MultiHeadAttention>("attention", attention_options(options), rng)),
      norm_2_(own("norm_2", norm_of(options))),
      cross_attention_(add_module<MultiHeadAttention>(
          "cross_attention", attention_options(without_positions(options)), rng)),
      norm_3_(own("norm_3", norm_of(options))),
      feed_forward_(add_module<FeedForward>("feed_forward", options.channels, hidden_size(options),
                                            options.activation, rng, options.bias)),
      dropout_(add_module<Dropout>("dropout", options.dropout, rng)) {}

Variable DecoderBlock::operator()(const Variable& x, const Variable& memory,
                                  const AttentionMask& memory_mask) {
  const ModuleScope scope(*this);
  AttentionMask causal;
  causal.causal = true;
  if (norm_place_ == NormPlace::kPre) {
    const Variable own_words = x + dropout_(self_attention_(norm_1_(x), causal));
    const Variable read =
        own_words + dropout_(cross_attention_(norm_2_(own_words), memory, memory_mask));
    return read + dropout_(feed_forward_(norm_3_(read)));  // [.., time, channels]
  }
  const Variable own_words = norm_1_(x + dropout_(self_attention_(x, causal)));
  const Variable read =
      norm_2_(own_words + dropout_(cross_attention_(own_words, memory, memory_mask)));
  return norm_3_(read + dropout_(feed_forward_(read)));  // [.., time, channels]
}

EncoderDecoder::EncoderDecoder(const EncoderDecoderOptions& options, Rng& rng)
    : options_(checked(options)),
      encoder_(add_module<Encoder>("encoder", options.source, rng)),
      targets_(add_module<Embedding>("targets", options.target_vocab_size,
                                     options.source.block.channels, rng)),
      dropout_(add_module<Dropout>("dropout", options.source.block.dropout, rng)),
      norm_(own("norm", norm_of(options.source.block))),
      head_(add_module<Linear>("head", options.source.block.channels, options.target_vocab_size,
                               rng)) {
  if (auto table = make_positions(options.source.positions, options.target_block_size,
                                  options.source.block.channels, rng)) {
    positions_ = &own("positions", std::move(table));
  }
  const BlockOptions block = with_positions(options.source.block, options.source.positions);
  for (Index i = 0; i < options.decoder_layer_count; ++i) {
    blocks_.push_back(&add_module<DecoderBlock>(join_text({"block_", i}), block, rng));
  }
  // Two streams: each block of the encoder adds twice to its own, each of the decoder thrice.
  const Index encoder_branches = 2 * options.source.layer_count;
  const Index decoder_branches = 3 * options.decoder_layer_count;
  for (Module* part : children()) {
    draw_small_weights(*part, part == &encoder_ ? encoder_branches : decoder_branches, rng);
  }
}

Variable EncoderDecoder::operator()(const Indices& sources, const Indices& targets) {
  return decode(encode(sources), encoder_.mask_of(sources), targets);
}

Variable EncoderDecoder::encode(const Indices& sources) {
  const ModuleScope scope(*this);
  return encoder_(sources);
}

Variable EncoderDecoder::decode(const Variable& memory, const AttentionMask& memory_mask,
                                const Indices& targets) {
  const ModuleScope scope(*this);
  if (targets.rank() != 2 || memory.rank() != 3 || targets.size(0) != memory.size(0) ||
      targets.size(1) > options_.target_block_size) {
    throw ShapeError({"EncoderDecoder: targets are ", targets.shape(), ", memory is ",
                      memory.shape(), "; they must be [batch, time] and [batch, source time, ",
                      options_.source.block.channels, "], time at most target_block_size (",
                      options_.target_block_size, ")"});
  }
  Variable x = targets_(targets);  // [batch, time, channels]
  if (positions_ != nullptr) x = (*positions_)(x, 0);
  x = dropout_(x);
  for (DecoderBlock* block : blocks_) x = (*block)(x, memory, memory_mask);
  return head_(norm_(x));  // [batch, time, target vocab]
}

}  // namespace vitro::nn
