// The recipe "a tokenizer" of docs/extending.md, followed literally.
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.h"
#include "tensor/indices.h"

namespace vitro {
namespace {

// Words, and what stands between them: "a, b" is "a" ", " "b". Nothing is lost.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> pieces;
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  for (const char c : text) {
    const bool goes_on = !pieces.empty() && is_letter(pieces.back().back()) == is_letter(c);
    if (!goes_on) pieces.emplace_back();
    pieces.back() += c;
  }
  return pieces;
}

/// Ids are given in the order in which pieces first occur in the text.
class WordTokenizer {
 public:
  explicit WordTokenizer(std::string_view text) {
    for (const std::string& piece : split_words(text)) {
      if (ids_.try_emplace(piece, vocab_size()).second) pieces_.push_back(piece);
    }
  }

  Index vocab_size() const { return static_cast<Index>(pieces_.size()); }

  /// Throws std::invalid_argument for a piece that was not in the text.
  std::vector<Index> encode(std::string_view text) const {
    std::vector<Index> ids;
    for (const std::string& piece : split_words(text)) {
      const auto found = ids_.find(piece);
      if (found == ids_.end()) {
        throw_invalid({"WordTokenizer: '", piece, "' is no token; the text that it was made from ",
                       "must hold it"});
      }
      ids.push_back(found->second);
    }
    return ids;
  }

  /// Throws std::out_of_range for an id that is no token.
  std::string decode(const std::vector<Index>& ids) const {
    std::string text;
    for (const Index id : ids) {
      check_id(id, vocab_size(), "WordTokenizer", "token id");
      text += pieces_[static_cast<std::size_t>(id)];
    }
    return text;
  }

 private:
  std::vector<std::string> pieces_;   // by id
  std::map<std::string, Index> ids_;  // the inverse
};

TEST(Recipe, ATokenizer) {
  const std::string text = "How are you? You are, how?";
  const WordTokenizer tokenizer(text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.encode("How you are"), (std::vector<Index>{0, 1, 3, 1, 2}));
  EXPECT_THROW(tokenizer.encode("who"), std::invalid_argument);
  EXPECT_THROW(tokenizer.decode({tokenizer.vocab_size()}), std::out_of_range);
  EXPECT_THROW(tokenizer.decode({-1}), std::out_of_range);
}

}  // namespace
}  // namespace vitro
