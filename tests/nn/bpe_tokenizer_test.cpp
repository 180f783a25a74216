#include "nn/text/bpe_tokenizer.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/nn/bpe_support.h"
#include "tests/support/expect.h"
#include "tests/support/files.h"

namespace vitro::test {
namespace {

using Ids = std::vector<Index>;

TEST(BpeTokenizer, NumbersAreThoseOfTheVocabulary) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  EXPECT_EQ(tokenizer.vocab_size(), 256 + 16 + 1);
  EXPECT_EQ(tokenizer.end_of_text(), 272);
  EXPECT_EQ(tokenizer.encode("!"), Ids{0});
  EXPECT_EQ(tokenizer.encode(" "), Ids{220});
  EXPECT_EQ(tokenizer.encode("hello"), Ids{259});
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.decode({259, 220, 0}), "hello !");
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST(BpeTokenizer, MergesInTheOrderOfRanks) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  EXPECT_EQ(pieces(tokenizer, "hello world"), "hello|Ġwo|r|l|d");
  // "Ġ hell" comes after "hell o", so no token spans both.
  EXPECT_EQ(pieces(tokenizer, " hello hell"), "Ġ|hello|Ġhell");
  EXPECT_EQ(pieces(tokenizer, "aaaaa"), "aa|aaa");
  EXPECT_EQ(pieces(tokenizer, "lll"), "ll|l");
}

TEST(BpeTokenizer, EncodesTrickyTexts) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  EXPECT_EQ(pieces(tokenizer, "he's HE'S"), "he|'s|Ġ|H|E|'|S");
  EXPECT_EQ(pieces(tokenizer, "a     wo"), "a|ĠĠĠĠ|Ġwo");
  EXPECT_EQ(pieces(tokenizer, "\n\n\n"), "ĊĊ|Ċ");
  EXPECT_EQ(pieces(tokenizer, "a\r\n\tb"), "a|č|Ċ|ĉ|b");
  EXPECT_EQ(pieces(tokenizer, "a\u00A0b"), "a|Â|ł|b");
  EXPECT_EQ(pieces(tokenizer, "121 12"), "12|1|Ġ|12");
  EXPECT_EQ(pieces(tokenizer, "\u00E9e\u0301"), "Ã©|e|Ì|ģ");
  EXPECT_EQ(pieces(tokenizer, "好"), "å|¥|½");
  EXPECT_EQ(pieces(tokenizer, "👩\u200D👧"), "ðŁ|ĳ|©|â|Ģ|į|ðŁ|ĳ|§");
  EXPECT_EQ(pieces(tokenizer, "\xFF\xC3"), "ÿ|Ã");
}

TEST(BpeTokenizer, EndOfTextIsATokenWhereAsked) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  const std::string text = "aa<|endoftext|><|endoftext|> wo<|endoftext";
  EXPECT_EQ(pieces(tokenizer, text, nn::SpecialText::kToken),
            "aa|<|endoftext|>|<|endoftext|>|Ġwo|<|||e|n|d|o|f|t|e|x|t");
  EXPECT_EQ(pieces(tokenizer, "<|endoftext|>"), "<|||e|n|d|o|f|t|e|x|t|||>");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, nn::SpecialText::kToken)), text);
  EXPECT_EQ(tokenizer.encode("<|endoftext|>", nn::SpecialText::kToken), Ids{272});

  const nn::BpeTokenizer without = nn::BpeTokenizer::parse(vocabulary_of({}), "");
  EXPECT_FALSE(without.end_of_text().has_value());
  expect_error_contains<std::invalid_argument>(
      [&] { without.encode("a", nn::SpecialText::kToken); }, "no token <|endoftext|>");
}

TEST(BpeTokenizer, BL39_IdsOutsideTheVocabularyAreRefused) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  expect_error_contains<std::out_of_range>([&] { tokenizer.decode({273}); },
                                           "id 273; it must be from 0 to 272");
  expect_error_contains<std::out_of_range>([&] { tokenizer.decode({0, 5, 273, 1}); }, "id 273");
  expect_error_contains<std::out_of_range>([&] { tokenizer.decode({-1}); }, "id -1");
}

TEST(BpeTokenizer, BL60_PartOfACharacterDecodesToItsBytes) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  const Ids halves = tokenizer.encode("\xC3!\xA9");
  ASSERT_EQ(halves.size(), 3U);
  EXPECT_EQ(tokenizer.decode({halves[0]}), "\xC3");
  EXPECT_EQ(tokenizer.decode({halves[0], halves[2]}), "\u00E9");
}

TEST(BpeTokenizer, TenThousandRandomTextsComeBack) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  Rng rng(31);
  for (int i = 0; i < 10'000; ++i) {
    const std::string bytes = random_bytes(rng.below(41), rng);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(bytes)), bytes);
    const std::string unicode = random_unicode(rng.below(41), rng);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(unicode)), unicode);
  }
}

// Few letters and many merges, some of which make the same token, so that ranks matter.
TEST(BpeMerges, EqualTheSlowForm) {
  Rng rng(37);
  for (int round = 0; round < 300; ++round) {
    std::vector<nn::BpeMerge> merges;
    const Index token_count = 3 + rng.below(7);
    for (Index left = 0; left < token_count; ++left) {
      for (Index right = 0; right < token_count; ++right) {
        // A result above both parts, as a longer token is.
        const Index least = std::max(left, right) + 1;
        if (least < token_count && rng.below(3) == 0) {
          merges.push_back({left, right, least + rng.below(token_count - least)});
        }
      }
    }
    std::vector<nn::BpeMerge> shuffled;
    for (const Index i : rng.permutation(std::max<Index>(1, static_cast<Index>(merges.size())))) {
      if (!merges.empty()) shuffled.push_back(merges[static_cast<std::size_t>(i)]);
    }
    const nn::BpeMerges fast(shuffled);
    for (int i = 0; i < 20; ++i) {
      Ids tokens;
      for (Index count = rng.below(30); count > 0; --count) tokens.push_back(rng.below(3));
      ASSERT_EQ(fast.apply(tokens), merge_slowly(shuffled, tokens));
    }
  }
}

// A quadratic merge would need 10^10 steps here, and the test would not end.
TEST(BpeTokenizer, ARunOfAMillionLettersIsNoTrap) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  const std::string run(1'000'000, 'a');
  const Ids ids = tokenizer.encode(run);
  EXPECT_EQ(ids.size(), 500'000U);
  EXPECT_EQ(tokenizer.decode(ids), run);
  std::string mixed;
  Rng rng(41);
  for (int i = 0; i < 100'000; ++i) mixed += "helo"[rng.below(4)];
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(mixed)), mixed);
}

TEST(BpeTokenizer, ThreadsMayShareOne) {
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  const std::string text = "hello world, it's 12 o'clock\n\n";
  const Ids expected = tokenizer.encode(text);
  std::vector<Ids> results(3);
  std::vector<std::thread> threads;
  for (Ids& result : results) {
    threads.emplace_back([&] { result = tokenizer.encode(text); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Ids& result : results) EXPECT_EQ(result, expected);
}

TEST(BpeTokenizer, SavesWhatItLoads) {
  const testing_support::TemporaryFolder folder;
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  tokenizer.save(folder.file("vocab.json"), folder.file("merges.txt"));
  EXPECT_EQ(folder.entry_count(), 2);
  EXPECT_EQ(testing_support::read_bytes(folder.file("merges.txt")), lines_of(hand_made_merges()));
  const nn::BpeTokenizer loaded =
      nn::BpeTokenizer::load(folder.file("vocab.json"), folder.file("merges.txt"));
  EXPECT_EQ(loaded.vocabulary_text(), tokenizer.vocabulary_text());
  EXPECT_EQ(loaded.merges_text(), tokenizer.merges_text());
  EXPECT_EQ(loaded.encode("hello wo"), tokenizer.encode("hello wo"));
  EXPECT_EQ(loaded.end_of_text(), 272);
}

TEST(BpeTokenizer, ItsTwoFilesAreTwo) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("both");
  const nn::BpeTokenizer tokenizer = hand_made_tokenizer();
  expect_error_contains<std::invalid_argument>([&] { tokenizer.save(path, folder.file("./both")); },
                                               "both files are");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace vitro::test
