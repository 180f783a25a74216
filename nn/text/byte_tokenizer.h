// ByteTokenizer: one token for each byte of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::nn {

/// Needs no text to be made from and knows every text: decode(encode(text)) is the text, whatever
/// its bytes. What it pays for that: a letter outside ASCII is two to four tokens.
class ByteTokenizer {
 public:
  Index vocab_size() const { return 256; }

  std::vector<Index> encode(std::string_view text) const;

  /// Throws std::out_of_range for an id that is not from 0 to 255.
  std::string decode(const std::vector<Index>& ids) const;
};

}  // namespace vitro::nn
