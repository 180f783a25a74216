#include "nn/text/char_tokenizer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tensor/error.h"
#include "tensor/utf8.h"

namespace vitro::nn {
namespace {

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
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
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
      throw_out_of_range(
          {"CharTokenizer: ", shown(character), " is not among the ", vocab_size(),
           " characters of the text that the tokenizer was made from; it knows no others"});
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
