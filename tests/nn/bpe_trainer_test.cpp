#include "nn/text/bpe_trainer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nn/text/bpe_splitter.h"

#include "tests/nn/bpe_support.h"
#include "tests/support/expect.h"

namespace vitro::test {
namespace {

// The merges as lines, without the version.
std::string merges_text(const nn::BpeVocabulary& vocabulary) {
  const std::string text = nn::bpe_merges_text(vocabulary);
  return text.substr(text.find('\n') + 1);
}

nn::BpeTrainingOptions options(Index merge_count, Index min_count = 1) {
  return {.vocab_size = 256 + merge_count, .min_count = min_count, .end_of_text = false};
}

// Counts all pairs of all words anew for every merge.
nn::BpeVocabulary train_slowly(std::string_view text, Index merge_count, Index min_count) {
  nn::BpeVocabulary vocabulary = nn::train_bpe("", options(0));
  std::vector<std::vector<Index>> words;
  for (; !text.empty(); text.remove_prefix(nn::first_word(text).size())) {
    words.emplace_back();
    for (const char byte : nn::first_word(text)) {
      const auto place =
          std::find(vocabulary.tokens.begin(), vocabulary.tokens.end(), std::string(1, byte));
      words.back().push_back(place - vocabulary.tokens.begin());
    }
  }
  while (static_cast<Index>(vocabulary.tokens.size()) < 256 + merge_count) {
    std::map<std::pair<Index, Index>, Index> counts;
    for (const std::vector<Index>& word : words) {
      for (std::size_t i = 0; i + 1 < word.size(); ++i) ++counts[{word[i], word[i + 1]}];
    }
    const auto has_less = [](const auto& a, const auto& b) { return a.second < b.second; };
    // The first of the largest, in the order of left and right.
    const auto best = std::max_element(counts.begin(), counts.end(), has_less);
    if (best == counts.end() || best->second < min_count) break;
    const auto [left, right] = best->first;
    const std::string token = vocabulary.tokens[left] + vocabulary.tokens[right];
    const auto place = std::find(vocabulary.tokens.begin(), vocabulary.tokens.end(), token);
    const Index result = place - vocabulary.tokens.begin();
    if (place == vocabulary.tokens.end()) vocabulary.tokens.push_back(token);
    vocabulary.merges.push_back({left, right, result});
    for (std::vector<Index>& word : words) {
      word = merge_slowly({vocabulary.merges.back()}, word);
    }
  }
  return vocabulary;
}

TEST(BpeTrainer, MergesTheMostFrequentPair) {
  EXPECT_EQ(merges_text(nn::train_bpe("abab abab xyz", options(3))), "a b\nab ab\nx y\n");
  EXPECT_EQ(merges_text(nn::train_bpe("low low low lower", options(3))), "l o\nlo w\nĠ low\n");
}

TEST(BpeTrainer, BL60_TiesGoToTheLowerIds) {
  // All pairs stand once: the lowest left id is 'a', whatever comes first in the text.
  EXPECT_EQ(merges_text(nn::train_bpe("zy dc ab", options(1))), "a b\n");
  EXPECT_EQ(merges_text(nn::train_bpe("ac!ab", options(1))), "a b\n");
  // By byte, a line feed comes before 'a'; by letter, as ids are numbered, after.
  EXPECT_EQ(merges_text(nn::train_bpe("ab\n\n", options(1))), "a b\n");
}

TEST(BpeTrainer, EndsWhereNoPairStandsOftenEnough) {
  const nn::BpeVocabulary vocabulary = nn::train_bpe("abab cd", options(100, 2));
  EXPECT_EQ(merges_text(vocabulary), "a b\n");
  EXPECT_EQ(vocabulary.tokens.size(), 257U);
  EXPECT_EQ(nn::train_bpe("", options(100)).tokens.size(), 256U);
  // All the way down: every word is one token.
  EXPECT_EQ(merges_text(nn::train_bpe("abc", options(100))), "a b\nab c\n");
}

TEST(BpeTrainer, CutsTheTextBetweenDocuments) {
  const nn::BpeVocabulary vocabulary =
      nn::train_bpe("ab<|endoftext|>ab<|endoftext|>", {.vocab_size = 300});
  EXPECT_EQ(merges_text(vocabulary), "a b\n");
  ASSERT_EQ(vocabulary.tokens.size(), 258U);
  EXPECT_EQ(vocabulary.tokens[257], "<|endoftext|>");
}

TEST(BpeTrainer, EqualsTheSlowForm) {
  Rng rng(47);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (Index i = 0; i < 200; ++i) text += "aab bc\n1"[rng.below(8)];
    const Index min_count = 1 + rng.below(3);
    const nn::BpeVocabulary fast = nn::train_bpe(text, options(40, min_count));
    const nn::BpeVocabulary slow = train_slowly(text, 40, min_count);
    ASSERT_EQ(fast.tokens, slow.tokens);
    ASSERT_EQ(nn::bpe_merges_text(fast), nn::bpe_merges_text(slow));
  }
}

TEST(BpeTrainer, GivesATokenizerThatItsOwnFilesGive) {
  Rng rng(53);
  const std::string text = random_unicode(300, rng) + random_bytes(300, rng) +
                           "It's what it's: a text, a text, and a text again.\n\n";
  const nn::BpeTokenizer trained = nn::BpeTokenizer::train(text, {.vocab_size = 400});
  EXPECT_GT(trained.vocab_size(), 280);
  EXPECT_EQ(trained.end_of_text(), trained.vocab_size() - 1);
  const nn::BpeTokenizer read =
      nn::BpeTokenizer::parse(trained.vocabulary_text(), trained.merges_text());
  EXPECT_EQ(read.encode(text), trained.encode(text));
  EXPECT_EQ(read.decode(trained.encode(text)), text);
  EXPECT_LT(trained.encode(text).size(), text.size());
}

TEST(BpeTrainer, ALongRunIsNoTrap) {
  const nn::BpeVocabulary vocabulary = nn::train_bpe(std::string(100'000, 'a'), options(50, 2));
  // 2, 4, 8, … letters at a time.
  EXPECT_EQ(merges_text(vocabulary).substr(0, 22), "a a\naa aa\naaaa aaaa\naa");
}

TEST(BpeTrainer, RefusesSizesWithoutSense) {
  expect_error_contains<std::invalid_argument>([] { nn::train_bpe("a", {.vocab_size = 256}); },
                                               "vocab_size is 256; it must be from 257 to 1000000");
  expect_error_contains<std::invalid_argument>([] { nn::train_bpe("a", options(-1)); },
                                               "vocab_size is 255; it must be from 256");
  expect_error_contains<std::invalid_argument>([] { nn::train_bpe("a", options(1'000'000)); },
                                               "vocab_size is 1000256");
  expect_error_contains<std::invalid_argument>([] { nn::train_bpe("a", options(5, 0)); },
                                               "min_count is 0");
}

}  // namespace
}  // namespace vitro::test
