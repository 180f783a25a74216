// What the tests of byte-pair encoding share: a small vocabulary made by hand, random texts, and
// the encoding in its slow, obvious form.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tensor/random.h"
#include "tensor/utf8.h"

#include "nn/text/bpe_tokenizer.h"
#include "nn/text/byte_letters.h"

namespace vitro::test {

/// In byte letters: Ġ is a space, Ċ a line feed, Ã © the bytes of é, ð Ł how many emoji start.
inline const std::vector<std::pair<std::string, std::string>>& hand_made_merges() {
  static const std::vector<std::pair<std::string, std::string>> merges = {
      {"h", "e"}, {"l", "l"},    {"he", "ll"}, {"hell", "o"}, {"Ġ", "w"}, {"Ġw", "o"},  // 256 …
      {"Ġ", "Ġ"}, {"ĠĠ", "ĠĠ"},  {"Ċ", "Ċ"},   {"Ã", "©"},    {"'", "s"}, {"1", "2"},   // 262 …
      {"ð", "Ł"}, {"Ġ", "hell"}, {"a", "a"},   {"aa", "a"}};                            // 268 …
  return merges;
}

/// {"!": 0, …}: all bytes, then the merges' results, then `last` where there is one.
inline std::string vocabulary_of(const std::vector<std::pair<std::string, std::string>>& merges,
                                 const std::string& last = "") {
  nn::BpeVocabulary vocabulary;
  for (const unsigned char byte : nn::bytes_by_letter()) {
    vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
  }
  for (const auto& [left, right] : merges) {
    vocabulary.tokens.push_back(nn::bytes_of(left + right).value());
  }
  if (!last.empty()) vocabulary.tokens.push_back(last);
  return nn::bpe_vocabulary_text(vocabulary);
}

inline std::string lines_of(const std::vector<std::pair<std::string, std::string>>& merges) {
  std::string text = "#version: 0.2\n";
  for (const auto& [left, right] : merges) text.append(left).append(" ").append(right).append("\n");
  return text;
}

inline nn::BpeTokenizer hand_made_tokenizer() {
  return nn::BpeTokenizer::parse(vocabulary_of(hand_made_merges(), "<|endoftext|>"),
                                 lines_of(hand_made_merges()));
}

/// The tokens of a text in byte letters, with | between.
inline std::string pieces(const nn::BpeTokenizer& tokenizer, const std::string& text,
                          nn::SpecialText special = nn::SpecialText::kPlain) {
  std::string joined;
  for (const Index id : tokenizer.encode(text, special)) {
    joined.append(joined.empty() ? "" : "|").append(nn::letters_of(tokenizer.decode({id})));
  }
  return joined;
}

inline std::string random_bytes(Index count, Rng& rng) {
  std::string text;
  for (Index i = 0; i < count; ++i) text += static_cast<char>(rng.below(256));
  return text;
}

/// Half of the code points from below U+0800, where more of them matter to the splitter.
inline std::string random_unicode(Index count, Rng& rng) {
  std::string text;
  for (Index i = 0; i < count; ++i) {
    const Index limit = rng.below(2) == 0 ? 0x800 : 0x110000 - 0x800;
    const Index drawn = rng.below(limit);
    text += utf8_bytes(static_cast<char32_t>(drawn < 0xD800 ? drawn : drawn + 0x800));
  }
  return text;
}

/// Of all neighbours with a merge, the ones of the lowest rank become one, from left to right.
inline std::vector<Index> merge_slowly(const std::vector<nn::BpeMerge>& merges,
                                       std::vector<Index> tokens) {
  while (true) {
    std::size_t best = merges.size();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      for (std::size_t rank = 0; rank < best; ++rank) {
        if (merges[rank].left == tokens[i] && merges[rank].right == tokens[i + 1]) best = rank;
      }
    }
    if (best == merges.size()) return tokens;
    std::vector<Index> merged;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool is_pair = i + 1 < tokens.size() && tokens[i] == merges[best].left &&
                           tokens[i + 1] == merges[best].right;
      merged.push_back(is_pair ? merges[best].result : tokens[i]);
      if (is_pair) ++i;
    }
    tokens = merged;
  }
}

}  // namespace vitro::test
