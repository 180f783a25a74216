#include "nn/text/char_tokenizer.h"

#include <algorithm>
#include <set>

#include "tensor/error.h"

namespace vitro::nn {
namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// How many bytes the code point that starts the text has; 1 where its bytes are not valid UTF-8.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xC2 && first <= 0xDF ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 1;
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(i))) return 1;
  }
  // Not valid: overlong forms, surrogates, and code points above U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 1;
  if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 1;
  return length;
}

// A character as an error shows it: control and lone bytes by their code.
std::string shown(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1 && (first < 0x20 || first >= 0x7F)) {
    return join_text({"byte ", static_cast<int>(first)});
  }
  return join_text({"'", character, "'"});
}

}  // namespace

std::vector<std::string_view> split_characters(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

CharTokenizer::CharTokenizer(std::string_view text) {
  const std::vector<std::string_view> all = split_characters(text);
  const std::set<std::string_view> distinct(all.begin(), all.end());
  characters_.assign(distinct.begin(), distinct.end());
  number_characters();
}

CharTokenizer::CharTokenizer(std::vector<std::string> characters)
    : characters_(std::move(characters)) {
  number_characters();
}

void CharTokenizer::number_characters() {
  if (characters_.empty()) {
    throw_invalid({"CharTokenizer: no characters; the text must not be empty"});
  }
  for (const std::string& character : characters_) {
    if (split_characters(character).size() != 1) {
      throw_invalid({"CharTokenizer: the list of characters holds '", character,
                     "'; each entry must be one character"});
    }
    if (!ids_.emplace(character, static_cast<Index>(ids_.size())).second) {
      throw_invalid({"CharTokenizer: the list of characters holds '", character,
                     "' twice; each must occur once"});
    }
  }
}

std::vector<Index> CharTokenizer::encode(std::string_view text) const {
  std::vector<Index> ids;
  for (const std::string_view character : split_characters(text)) {
    const auto found = ids_.find(std::string(character));
    if (found == ids_.end()) {
      throw_out_of_range({"CharTokenizer: ", shown(character), " is not among the ", vocab_size(),
                          " characters of the text that the tokenizer was made from"});
    }
    ids.push_back(found->second);
  }
  return ids;
}

std::string CharTokenizer::decode(const std::vector<Index>& ids) const {
  std::string text;
  for (const Index id : ids) {
    if (id < 0 || id >= vocab_size()) {
      throw_out_of_range({"CharTokenizer: id ", id, "; it must be from 0 to ", vocab_size() - 1});
    }
    text += characters_[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace vitro::nn
