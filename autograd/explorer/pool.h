// Pool: many tensors as one run of little-endian float32, equal ones once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tensor/tensor.h"

namespace vitro::explorer {

class Pool {
 public:
  /// Where the tensor's numbers, in row-major order, start: in floats from the pool's start. What
  /// is in the pool already, such as a reshaped tensor, takes no room again.
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
