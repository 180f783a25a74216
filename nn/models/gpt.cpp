#include "nn/models/gpt.h"

#include <utility>

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/init.h"

namespace vitro::nn {
namespace {

const GptOptions& checked(const GptOptions& options) {
  check_size(options.vocab_size, "Gpt", "vocab_size");
  check_size(options.block_size, "Gpt", "block_size");
  check_size(options.layer_count, "Gpt", "layer_count");
  check_size(options.head_count, "Gpt", "head_count");
  check_size(options.channels, "Gpt", "channels");
  return options;
}

BlockOptions block_options(const GptOptions& options) {
  BlockOptions block;
  block.channels = options.channels;
  block.head_count = options.head_count;
  block.key_value_head_count = options.key_value_head_count;
  block.dropout = options.dropout;
  block.bias = options.bias;
  block.norm = options.norm;
  block.norm_epsilon = options.norm_epsilon;
  block.norm_place = options.norm_place;
  block.activation = options.activation;
  return with_positions(block, options.positions);
}

}  // namespace

Gpt::Gpt(const GptOptions& options, Rng& rng)
    : options_(checked(options)),
      tokens_(add_module<Embedding>("tokens", options.vocab_size, options.channels, rng)),
      dropout_(add_module<Dropout>("dropout", options.dropout, rng)),
      norm_(own("norm", make_norm(options.norm, options.channels, options.norm_epsilon))) {
  if (auto table = make_positions(options.positions, options.block_size, options.channels, rng)) {
    positions_ = &own("positions", std::move(table));
  }
  for (Index i = 0; i < options.layer_count; ++i) {
    blocks_.push_back(&add_module<Block>(join_text({"block_", i}), block_options(options), rng));
  }
  if (options.head == Head::kTied) {
    head_ = share_parameter("head", tokens_.table());
  } else {
    head_ = add_parameter("head", zeros({options.vocab_size, options.channels}));
  }
  draw_small_weights(*this, 2 * options.layer_count, rng);
}

Variable Gpt::operator()(const Indices& tokens) {
  const ModuleScope scope(*this);
  check_tokens(tokens, 0);
  AttentionMask mask;
  mask.causal = true;
  Variable x = embed(tokens, 0);                       // [.., time, channels]
  for (Block* block : blocks_) x = (*block)(x, mask);  // [.., time, channels]
  return to_logits(x);
}

Variable Gpt::operator()(const Indices& tokens, GptCache& cache) {
  const ModuleScope scope(*this);
  NewTokens in_cache(cache);
  const Variable logits = to_logits(follow(tokens, cache));
  in_cache.arrived();
  return logits;
}

Variable Gpt::next_logits(const Indices& tokens, GptCache& cache) {
  const ModuleScope scope(*this);
  if (tokens.rank() != 2 || tokens.size(1) == 0) {
    throw ShapeError({"Gpt: next_logits of tokens of shape ", tokens.shape(),
                      "; they must be [batch, time], at least one a row"});
  }
  NewTokens in_cache(cache);
  const Variable x = follow(tokens, cache);              // [batch, time, channels]
  const Variable last = narrow(x, 1, x.size(1) - 1, 1);  // [batch, 1, channels]
  const Variable logits = to_logits(last);               // [batch, 1, vocab_size]
  in_cache.arrived();
  return logits;
}

// The new tokens through all blocks.
Variable Gpt::follow(const Indices& tokens, GptCache& cache) {
  if (cache.size() != blocks_.size()) {
    throw_invalid({"Gpt: a cache of ", cache.size(), " blocks for a model of ", blocks_.size(),
                   "; make it with make_cache()"});
  }
  const Index start = cache.front().length();
  check_tokens(tokens, start);
  Variable x = embed(tokens, start);  // [batch, time, channels]
  for (std::size_t i = 0; i < blocks_.size(); ++i) x = (*blocks_[i])(x, cache[i]);
  return x;
}

void Gpt::check_tokens(const Indices& tokens, Index start) const {
  if (tokens.rank() < 1 || tokens.size(-1) > options_.block_size - start) {
    throw ShapeError({"Gpt: tokens of shape ", tokens.shape(), " from position ", start,
                      "; they must be [.., time] and end within block_size (", options_.block_size,
                      ")"});
  }
}

Variable Gpt::embed(const Indices& tokens, Index start) {
  Variable x = tokens_(tokens);  // [.., time, channels]
  if (positions_ != nullptr) x = (*positions_)(x, start);
  return dropout_(x);
}

Variable Gpt::to_logits(const Variable& x) {
  return matmul(norm_(x), transpose(head_, 0, 1));  // [.., time, vocab_size]
}

GptCache Gpt::make_cache() const {
  return GptCache(blocks_.size(), KeyValueCache(options_.block_size));
}

std::vector<MultiHeadAttention*> Gpt::attentions() {
  std::vector<MultiHeadAttention*> all;
  for (Block* block : blocks_) all.push_back(&block->attention());
  return all;
}

}  // namespace vitro::nn
