#include "nn/models/encoder.h"

#include <utility>

#include "tensor/arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

const EncoderOptions& checked(const EncoderOptions& options) {
  check_size(options.vocab_size, "Encoder", "vocab_size");
  check_size(options.block_size, "Encoder", "block_size");
  check_size(options.layer_count, "Encoder", "layer_count");
  check_size(options.block.channels, "Encoder", "channels");
  if (options.positions == PositionKind::kAlibi) {
    throw_invalid({"Encoder: ALiBi tells earlier positions apart, and an encoder looks both ways; ",
                   "take learned, sinusoidal or rotary positions"});
  }
  if (options.padding < -1 || options.padding >= options.vocab_size) {
    throw_invalid({"Encoder: padding is ", options.padding, "; it must be a token from 0 to ",
                   options.vocab_size - 1, ", or -1 for none"});
  }
  return options;
}

}  // namespace

Tensor differs_from(const Indices& ids, Index id) {
  return Tensor::filled(ids.shape(), [&](Scalar* out) {
    for (const Index value : ids.values()) *out++ = value == id ? 0 : 1;
  });
}

Encoder::Encoder(const EncoderOptions& options, Rng& rng)
    : options_(checked(options)),
      tokens_(add_module<Embedding>("tokens", options.vocab_size, options.block.channels, rng)),
      dropout_(add_module<Dropout>("dropout", options.block.dropout, rng)),
      norm_(own("norm", make_norm(options.block.norm, options.block.channels,
                                  options.block.norm_epsilon))) {
  if (auto table =
          make_positions(options.positions, options.block_size, options.block.channels, rng)) {
    positions_ = &own("positions", std::move(table));
  }
  const BlockOptions block = with_positions(options.block, options.positions);
  for (Index i = 0; i < options.layer_count; ++i) {
    blocks_.push_back(&add_module<Block>(join_text({"block_", i}), block, rng));
  }
}

Variable Encoder::operator()(const Indices& tokens) {
  const ModuleScope scope(*this);
  if (tokens.rank() < 1 || tokens.size(-1) > options_.block_size) {
    throw ShapeError({"Encoder: tokens of shape ", tokens.shape(),
                      "; they must be [.., time] and time at most block_size (",
                      options_.block_size, ")"});
  }
  const AttentionMask mask = mask_of(tokens);
  Variable x = tokens_(tokens);  // [.., time, channels]
  if (positions_ != nullptr) x = (*positions_)(x, 0);
  x = dropout_(x);
  for (Block* block : blocks_) x = (*block)(x, mask);  // [.., time, channels]
  return norm_(x);
}

AttentionMask Encoder::mask_of(const Indices& tokens) const {
  AttentionMask mask;
  if (options_.padding < 0) return mask;
  mask.mask = unsqueeze(differs_from(tokens, options_.padding), -2);  // [.., 1, time]
  return mask;
}

std::vector<MultiHeadAttention*> Encoder::attentions() {
  std::vector<MultiHeadAttention*> all;
  for (Block* block : blocks_) all.push_back(&block->attention());
  return all;
}

EncoderClassifier::EncoderClassifier(const EncoderOptions& options, Index class_count,
                                     Labels labels, Rng& rng)
    : labels_(labels),
      encoder_(add_module<Encoder>("encoder", options, rng)),
      head_(add_module<Linear>("head", options.block.channels, class_count, rng)) {
  draw_small_weights(*this, 2 * options.layer_count, rng);
}

Variable EncoderClassifier::operator()(const Indices& tokens) {
  const ModuleScope scope(*this);
  const Variable x = encoder_(tokens);                 // [.., time, channels]
  if (labels_ == Labels::kEachToken) return head_(x);  // [.., time, classes]
  return head_(mean_over_time(x, tokens));             // [.., classes]
}

// Padding does not count; a sequence of nothing else gives zeros.
Variable EncoderClassifier::mean_over_time(const Variable& x, const Indices& tokens) const {
  const Index padding = encoder_.options().padding;
  if (padding < 0) return mean(x, {-2});                               // [.., channels]
  const Tensor counts = unsqueeze(differs_from(tokens, padding), -1);  // [.., time, 1]
  const Tensor count =
      maximum(sum(counts, {-2}, KeepAxes::kYes), Tensor(Shape{}, {1}));  // [.., 1, 1]
  return sum(x * Variable(counts / count), {-2});                        // [.., channels]
}

}  // namespace vitro::nn
