// KeyValueCache: what attention remembers of earlier tokens while generating.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace vitro::nn {

/// The keys and values of one attention layer, for up to `capacity` tokens. With it each new token
/// costs one query, and not all of them again.
class KeyValueCache {
 public:
  /// Throws std::invalid_argument for a capacity below 1.
  explicit KeyValueCache(Index capacity);

  /// Adds new tokens' keys and values, [batch, heads, time, head_size], in place. Throws
  /// ShapeError where they are more than there is room for, or of another batch than the first.
  void append(const Tensor& keys, const Tensor& values);

  /// Of all tokens so far: views, to be let go before the next append.
  Tensor keys() const;
  Tensor values() const;

  Index length() const { return length_; }

  Index capacity() const { return capacity_; }

  /// Forgets all tokens but the first `length`, and keeps the memory.
  void shorten(Index length) {
    if (length < length_) length_ = length;
  }

  /// Forgets all tokens.
  void clear() { shorten(0); }

 private:
  Index capacity_;
  Index length_ = 0;
  // Keys lie across, so that a query meets all of them in one product without a copy.
  Tensor keys_;    // [batch, heads, head_size, capacity], the first length_ of them in use
  Tensor values_;  // [batch, heads, capacity, head_size]
};

/// New tokens on their way through a model's layers. Where a later layer fails, the layers before
/// it forget them again, so that all know the same tokens and the call can be made once more.
class NewTokens {
 public:
  explicit NewTokens(std::vector<KeyValueCache>& layers)
      : layers_(layers), length_(layers.empty() ? 0 : layers.front().length()) {}

  ~NewTokens() {
    if (arrived_) return;
    for (KeyValueCache& layer : layers_) layer.shorten(length_);
  }

  NewTokens(const NewTokens&) = delete;
  NewTokens& operator=(const NewTokens&) = delete;

  /// All went well: the layers keep them.
  void arrived() { arrived_ = true; }

 private:
  std::vector<KeyValueCache>& layers_;
  const Index length_;
  bool arrived_ = false;
};

}  // namespace vitro::nn
