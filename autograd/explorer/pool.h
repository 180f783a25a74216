// Pool: many tensors as one run of little-endian float32, equal ones once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tensor/tensor.h"

namespace vitro::explorer {

/// The largest page that is written.
inline constexpr Index kMaxPageBytes = 64 * 1024 * 1024;

/// Throws std::length_error, with advice, for a page larger than that.
void check_page_size(Index bytes);

class Pool {
 public:
  /// Where the tensor's numbers, in row-major order, start: in floats from the pool's start. What
  /// is in the pool already, such as a reshaped tensor, takes no room again. Throws as
  /// check_page_size does, for a tensor too large for any page before it takes memory.
  Index add(const Tensor& x);

  /// How many floats there are.
  Index float_count() const { return static_cast<Index>(bytes_.size() / 4); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::unordered_multimap<std::size_t, std::pair<Index, Index>> places_;  // hash → start, count
};

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace vitro::explorer
