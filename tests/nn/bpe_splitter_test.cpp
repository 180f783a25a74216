#include "nn/text/bpe_splitter.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "nn/text/unicode_ranges.h"

#include "tests/nn/bpe_support.h"

namespace vitro::test {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::string_view word = nn::first_word(text);
    if (word.empty()) {
      ADD_FAILURE() << "an empty word";
      break;
    }
    found.emplace_back(word);
    text.remove_prefix(word.size());
  }
  return found;
}

using Words = std::vector<std::string>;

TEST(BpeSplitter, WordsTakeOneSpaceAlong) {
  EXPECT_EQ(words("Hello world 12 !?"), (Words{"Hello", " world", " 12", " !?"}));
  EXPECT_EQ(words("a1b22!!c"), (Words{"a", "1", "b", "22", "!!", "c"}));
  EXPECT_EQ(words(""), Words{});
}

TEST(BpeSplitter, ContractionsAreLowerCaseOnly) {
  EXPECT_EQ(words("he's we're I've I'm they'll I'd don't"),
            (Words{"he", "'s", " we", "'re", " I", "'ve", " I", "'m", " they", "'ll", " I", "'d",
                   " don", "'t"}));
  EXPECT_EQ(words("HE'S IT'LL"), (Words{"HE", "'", "S", " IT", "'", "LL"}));
  // The contraction ends where the pattern ends, inside a word.
  EXPECT_EQ(words("'stop 'rex 'relic"), (Words{"'s", "top", " '", "rex", " '", "relic"}));
  // Only where a word may start: not behind a space or another sign.
  EXPECT_EQ(words("''s \"'s"), (Words{"''", "s", " \"'", "s"}));
  EXPECT_EQ(words("'l'"), (Words{"'", "l", "'"}));
  EXPECT_EQ(words("don’t"), (Words{"don", "’", "t"}));
}

TEST(BpeSplitter, RunsOfWhiteSpaceLeaveTheirLast) {
  EXPECT_EQ(words("a   b"), (Words{"a", "  ", " b"}));
  EXPECT_EQ(words("a  \n\n b"), (Words{"a", "  \n\n", " b"}));
  EXPECT_EQ(words("a\n\n\nb"), (Words{"a", "\n\n", "\n", "b"}));
  EXPECT_EQ(words("a\tb"), (Words{"a", "\t", "b"}));
  EXPECT_EQ(words("a \tb"), (Words{"a", " ", "\t", "b"}));
  EXPECT_EQ(words("a\r\nb\r\n"), (Words{"a", "\r", "\n", "b", "\r\n"}));
  EXPECT_EQ(words("a   "), (Words{"a", "   "}));
  EXPECT_EQ(words("   "), (Words{"   "}));
  EXPECT_EQ(words(" "), (Words{" "}));
  EXPECT_EQ(words("  !"), (Words{" ", " !"}));
  EXPECT_EQ(words("\v\f x"), (Words{"\v\f", " x"}));
}

TEST(BpeSplitter, OtherSpacesAreNotTakenAlong) {
  const std::string nbsp = "\u00A0";
  const std::string ideographic = "\u3000";
  EXPECT_EQ(words("a" + nbsp + "b"), (Words{"a", nbsp, "b"}));
  EXPECT_EQ(words("a " + nbsp + ideographic + "b"), (Words{"a", " " + nbsp, ideographic, "b"}));
  EXPECT_EQ(words("a" + nbsp + " b"), (Words{"a", nbsp, " b"}));
  EXPECT_EQ(words("a\u0085b"), (Words{"a", "\u0085", "b"}));
  // A zero-width space and a byte order mark are no white space, the control U+001C is none either.
  EXPECT_EQ(words("a\u200Bb \uFEFFc\x1C"), (Words{"a", "\u200B", "b", " \uFEFF", "c", "\x1C"}));
}

TEST(BpeSplitter, KnowsLettersAndNumbersOfAllScripts) {
  EXPECT_EQ(words("café Ünïcode"), (Words{"café", " Ünïcode"}));
  // A combining accent is a mark, no letter.
  EXPECT_EQ(words("cafe\u0301s"), (Words{"cafe", "\u0301", "s"}));
  EXPECT_EQ(words("你好 世界。日本語"), (Words{"你好", " 世界", "。", "日本語"}));
  EXPECT_EQ(words("x² ½ Ⅳ ٣٤"), (Words{"x", "²", " ½", " Ⅳ", " ٣٤"}));
  EXPECT_EQ(words("नमस्ते"), (Words{"नमस", "्", "त", "े"}));
  // A family: three emoji with joiners between them are one word.
  EXPECT_EQ(words("hi 👩‍👩‍👧!a"), (Words{"hi", " 👩‍👩‍👧!", "a"}));
  EXPECT_EQ(words("𝒳1"), (Words{"𝒳", "1"}));
}

TEST(BpeSplitter, InvalidBytesAreSigns) {
  EXPECT_EQ(words("a\xFF\xC3 b"), (Words{"a", "\xFF\xC3", " b"}));
  EXPECT_EQ(words("\x80!a"), (Words{"\x80!", "a"}));
  // A surrogate and an overlong space are three and two invalid bytes.
  EXPECT_EQ(words("x\xED\xA0\x80y"), (Words{"x", "\xED\xA0\x80", "y"}));
  EXPECT_EQ(words("x\xC0\xA0y"), (Words{"x", "\xC0\xA0", "y"}));
  EXPECT_EQ(words(std::string("a\0b", 3)), (Words{"a", std::string(1, '\0'), "b"}));
}

TEST(BpeSplitter, WordsMakeUpTheText) {
  Rng rng(29);
  for (int i = 0; i < 2000; ++i) {
    const std::string text =
        i % 2 == 0 ? random_bytes(rng.below(23), rng) : random_unicode(rng.below(23), rng);
    std::string joined;
    for (const std::string& word : words(text)) joined += word;
    ASSERT_EQ(joined, text);
  }
}

TEST(UnicodeRanges, EndWhereUnicodeSays) {
  using nn::is_letter;
  for (const char32_t letter : {U'A', U'Z', U'a', U'z', U'ª', U'é', U'ß', U'ѿ', U'一', U'𠀀'}) {
    EXPECT_TRUE(is_letter(letter)) << static_cast<unsigned>(letter);
  }
  for (const char32_t other : {U'@', U'[', U'`', U'{', U'×', U'÷', U'\u0301', U'\uE000'}) {
    EXPECT_FALSE(is_letter(other)) << static_cast<unsigned>(other);
  }
  EXPECT_FALSE(is_letter(0) || is_letter(0x10FFFF) || is_letter(0x110000));
  EXPECT_TRUE(nn::is_number(U'0') && nn::is_number(U'9') && nn::is_number(U'½'));
  EXPECT_FALSE(nn::is_number(U'/') || nn::is_number(U':') || nn::is_number(U'a'));
  int spaces = 0;
  for (char32_t code_point = 0; code_point < 0x110000; ++code_point) {
    spaces += nn::is_space(code_point) ? 1 : 0;
  }
  EXPECT_EQ(spaces, 25);
}

}  // namespace
}  // namespace vitro::test
