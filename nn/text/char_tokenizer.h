// CharTokenizer: one token for each character of a text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::nn {

/// Ids are the places in the sorted list of the characters that the text holds. A character is one
/// UTF-8 code point; a byte that is not valid UTF-8 counts as a character of its own, so that
/// decode(encode(text)) is the text, for any bytes, line ends included.
class CharTokenizer {
 public:
  /// From a text. Throws std::invalid_argument where it is empty.
  explicit CharTokenizer(std::string_view text);

  /// From a list of characters, as characters() gives it. Throws std::invalid_argument where it is
  /// empty, an entry is not one character, or one occurs twice.
  explicit CharTokenizer(std::vector<std::string> characters);

  Index vocab_size() const { return static_cast<Index>(characters_.size()); }

  const std::vector<std::string>& characters() const { return characters_; }

  /// Throws std::out_of_range naming the first character that is not in the list.
  std::vector<Index> encode(std::string_view text) const;

  /// Throws std::out_of_range for an id that is no token.
  std::string decode(const std::vector<Index>& ids) const;

 private:
  void number_characters();

  std::vector<std::string> characters_;  // by id
  std::map<std::string, Index> ids_;     // the inverse
};

/// The characters of a text, in order.
std::vector<std::string_view> split_characters(std::string_view text);

}  // namespace vitro::nn
