// Block: attention, then the feed-forward part, each added to what came in.
#pragma once

#include <functional>

#include "nn/layers/dropout.h"
#include "nn/layers/feed_forward.h"
#include "nn/layers/multi_head_attention.h"
#include "nn/layers/normalize.h"
#include "nn/layers/positions.h"
#include "nn/module.h"

namespace vitro::nn {

/// Where a block normalizes: before each part (GPT-2), or after each sum (the first transformer).
enum class NormPlace { kPre, kPost };

struct BlockOptions {
  Index channels = 0;
  Index head_count = 1;
  Index key_value_head_count = 0;  ///< see MultiHeadAttentionOptions; 0: head_count
  Index hidden = 0;                ///< columns inside the feed-forward part; 0 means 4·channels
  Scalar dropout = 0;              ///< on the weights and on both branches
  Bias bias = Bias::kYes;
  NormKind norm = NormKind::kLayer;
  Scalar norm_epsilon = Scalar(1e-5);
  NormPlace norm_place = NormPlace::kPre;
  Activation activation = Activation::kGeluTanh;
  HeadPositions positions = HeadPositions::kNone;
};

/// The options of a block for a model whose positions are of that kind.
BlockOptions with_positions(BlockOptions block, PositionKind positions);

/// What a block says about its attention.
MultiHeadAttentionOptions attention_options(const BlockOptions& options);

/// The columns inside the feed-forward part. Throws std::invalid_argument where `hidden` is
/// negative.
Index hidden_size(const BlockOptions& options);

/// kPre:  x = x + attention(norm_1(x));  x = x + feed_forward(norm_2(x))
/// kPost: x = norm_1(x + attention(x));  x = norm_2(x + feed_forward(x))
class Block : public Layer {
 public:
  Block(const BlockOptions& options, Rng& rng);

  /// x [.., time, channels] → the same shape; every position looks at every position.
  Variable forward(const Variable& x) override { return forward(x, AttentionMask{}); }

  Variable forward(const Variable& x, const AttentionMask& mask);

  /// The tokens after those in the cache, which they join: see MultiHeadAttention.
  Variable forward(const Variable& x, KeyValueCache& cache);

  using Layer::operator();

  Variable operator()(const Variable& x, KeyValueCache& cache) {
    const ModuleScope scope(*this);
    return forward(x, cache);
  }

  Variable operator()(const Variable& x, const AttentionMask& mask) {
    const ModuleScope scope(*this);
    return forward(x, mask);
  }

  MultiHeadAttention& attention() { return attention_; }

 private:
  // A part of the block, whose result is added to `residual` if that is defined.
  using Part = std::function<Variable(const Variable& x, const Variable& residual)>;

  Variable add_part(const Variable& residual, const Part& part, const Variable& x);
  // Both parts; `attend` is the attention with its mask or its cache.
  Variable combine(const Variable& x, const Part& attend);

  const NormPlace norm_place_;
  Layer& norm_1_;
  MultiHeadAttention& attention_;
  Layer& norm_2_;
  FeedForward& feed_forward_;
  Dropout& dropout_;
};

}  // namespace vitro::nn
