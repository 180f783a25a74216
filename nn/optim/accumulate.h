// Several batches as one: means in which every token counts the same.
#pragma once

#include <vector>

#include "tensor/indices.h"

#include "nn/module.h"

namespace vitro::nn {

/// How many targets a loss counts: those that are not ignore_index.
Index counted_tokens(const Indices& targets, Index ignore_index = -100);

/// The mean loss over batches of different sizes. The mean of their means would count a token of a
/// short batch for more: 1 token of loss 4 and 3 of loss 0 make 1, not 2.
class TokenMean {
 public:
  /// `batch_mean` over `tokens` tokens; 0 tokens change nothing. Throws std::invalid_argument for
  /// fewer.
  void add(double batch_mean, Index tokens);

  /// 0 where no token was counted.
  double mean() const;

  Index tokens() const { return tokens_; }

 private:
  double sum_ = 0;
  Index tokens_ = 0;
};

/// Gradients of several batches, as if they were one, where that one would not fit into memory. Of
/// one batch alone they are to the last bit what its backward() gives:
///
///     optimizer.zero_grad();
///     GradientAccumulation accumulation;
///     for (const Batch& part : parts) {
///       const Variable loss = cross_entropy(model(part.inputs), part.targets);
///       accumulation.add(loss, counted_tokens(part.targets));
///     }
///     const double loss = accumulation.finish(optimizer.parameters());
///     optimizer.step();
class GradientAccumulation {
 public:
  /// Runs backward from a mean over `tokens` tokens, weighted by them; 0 tokens change nothing.
  /// Throws std::invalid_argument for fewer, and as item() and backward() do: a batch that threw
  /// does not count.
  void add(const Variable& batch_mean, Index tokens);

  /// Makes all gradients those of the mean over the tokens counted since the last finish(), and
  /// returns that mean. Where none was counted gradients stay as they are, and it returns 0.
  double finish(const std::vector<NamedParameter>& parameters);

 private:
  Index unit_ = 0;     // tokens of the first batch that has some: a batch of as many weighs 1
  double weight_ = 0;  // of all batches so far
  double loss_ = 0;    // sum of means, weighted
};

}  // namespace vitro::nn
