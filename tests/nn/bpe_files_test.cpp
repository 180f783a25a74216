#include "nn/text/bpe_files.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/nn/bpe_support.h"
#include "tests/support/files.h"
#include "tests/support/mutate.h"

namespace vitro::test {
namespace {

using testing_support::file_error_of;

const std::string kVocabulary = vocabulary_of(hand_made_merges(), "<|endoftext|>");
const std::string kMerges = lines_of(hand_made_merges());

// What is said about the two texts: "Hole at 12: sentence", or "no error".
std::string error_of(const std::string& vocabulary, const std::string& merges) {
  return file_error_of([&] { nn::BpeTokenizer::parse(vocabulary, merges); });
}

std::string replaced(std::string text, const std::string& part, const std::string& other) {
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return text.replace(place, part.size(), other);
}

void expect_said(const std::string& error, const std::string& kind, const std::string& part) {
  EXPECT_TRUE(error.starts_with(kind + " at ")) << error;
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(BpeFiles, SoundOnesPass) {
  EXPECT_EQ(error_of(kVocabulary, kMerges), "no error");
  EXPECT_EQ(error_of(vocabulary_of(hand_made_merges()), kMerges), "no error");
  EXPECT_EQ(error_of(vocabulary_of({}), ""), "no error");
  // Without the line that names the version, and with merges of the sign # in the first line.
  EXPECT_EQ(error_of(vocabulary_of({{"#", "#"}}), "# #\n"), "no error");
}

TEST(BpeFiles, IdsAreNumberedWithoutHoles) {
  expect_said(error_of(replaced(kVocabulary, "\"he\": 256", "\"he\": 257"), kMerges), "Overlap",
              "id 257 belongs to token \"he\" and to token \"ll\"");
  expect_said(error_of(replaced(kVocabulary, "\"he\": 256", "\"he\": 273"), kMerges), "Hole",
              "token \"he\" has id 273; 273 tokens have the ids 0 to 272");
  expect_said(error_of(replaced(kVocabulary, "\"he\": 256", "\"he\": -1"), kMerges), "Hole",
              "has id -1");
  expect_said(error_of(replaced(kVocabulary, "\"he\": 256", "\"he\": 256.0"), kMerges),
              "BadInteger", "256.0");
  expect_said(error_of(replaced(kVocabulary, "\"he\": 256", "\"he\": \"a\""), kMerges),
              "BadInteger", "a string");
  expect_said(
      error_of(replaced(kVocabulary, "\"he\": 256", "\"he\": 99999999999999999999"), kMerges),
      "BadInteger", "64 bits");
}

TEST(BpeFiles, TheVocabularyIsAnObjectOfTokens) {
  expect_said(error_of("[1, 2]", kMerges), "BadEntry", "an array");
  expect_said(error_of("{\"a\" 1}", kMerges), "InvalidJson", "");
  expect_said(error_of("{\"\xFF\": 0}", kMerges), "InvalidUtf8", "the vocabulary");
  expect_said(error_of(replaced(kVocabulary, "\"he\"", "\"\\u006cl\""), kMerges), "DuplicateKey",
              "\"ll\" comes twice");
  expect_said(error_of(replaced(kVocabulary, "\"he\"", "\"h e\""), kMerges), "BadEntry",
              "\"h e\" of id 256");
  expect_said(error_of(replaced(kVocabulary, "\"he\"", "\"\""), kMerges), "BadEntry", "\"\"");
  expect_said(error_of(replaced(kVocabulary, "\"he\"", "\"好\""), kMerges), "BadEntry", "好");
  expect_said(error_of("{}", ""), "BadEntry", "no token \"!\" for the byte 33");
  expect_said(error_of(replaced(kVocabulary, "\"Ġ\": 220", "\"zz\": 220"), kMerges), "BadEntry",
              "\"Ġ\"");
}

TEST(BpeFiles, MergesJoinKnownTokens) {
  const auto with_line = [](const std::string& line) { return kMerges + line + "\n"; };
  expect_said(error_of(kVocabulary, with_line("x y")), "BadEntry",
              "the merge \"x y\" needs the token \"xy\"");
  expect_said(error_of(kVocabulary, with_line("xy z")), "BadEntry", "needs the token \"xy\"");
  expect_said(error_of(kVocabulary, with_line("h 好")), "BadEntry", "needs the token \"好\"");
  expect_said(error_of(kVocabulary, with_line("h \xFF")), "BadEntry", "needs the token");
  expect_said(error_of(kVocabulary, with_line("l l")), "DuplicateKey", "\"l l\" comes twice");
  for (const char* line : {"", "h", "h ", " h", "h  e", "h e l", "h\te"}) {
    EXPECT_TRUE(error_of(kVocabulary, with_line(line)).starts_with("BadEntry at ")) << line;
  }
  const std::string early = replaced(replaced(kMerges, "he ll\n", ""), "l l\n", "he ll\nl l\n");
  expect_said(error_of(kVocabulary, early), "BadEntry",
              "\"he ll\" joins \"ll\", which is no byte and which no earlier merge makes");
}

TEST(BpeFiles, ErrorsNameTheByteOfTheLine) {
  EXPECT_TRUE(error_of(kVocabulary, "#version: 0.2\nh e\nx y\n").starts_with("BadEntry at 18: "));
  expect_said(error_of(kVocabulary, "#version: 0.2\nh e\nx y\n"), "BadEntry",
              "the merges (byte 18)");
}

TEST(BpeFiles, LinesEndInALineFeedAlone) {
  expect_said(error_of(kVocabulary, "#version: 0.2\r\nh e\r\n"), "BadEntry", "CR LF");
  expect_said(error_of(kVocabulary, "h e\r\n"), "BadEntry", "CR LF");
  expect_said(error_of(kVocabulary, kMerges.substr(0, kMerges.size() - 1)), "BadEntry",
              "no line feed at its end");
}

// A merges' file without its last lines leaves tokens that nothing makes.
TEST(BpeFiles, NoTextThatIsCutShortPasses) {
  for (std::size_t length = 0; length < kMerges.size(); ++length) {
    ASSERT_NE(error_of(kVocabulary, kMerges.substr(0, length)), "no error") << length;
  }
  for (std::size_t length = 0; length + 1 < kVocabulary.size(); ++length) {
    ASSERT_NE(error_of(kVocabulary.substr(0, length), kMerges), "no error") << length;
  }
  expect_said(error_of(kVocabulary, ""), "BadEntry", "no merge makes the token \"he\" of id 256");
  expect_said(error_of(vocabulary_of({}, "<pad>"), ""), "BadEntry", "\"<pad>\" of id 256");
}

// Random changes give a FileError or a tokenizer that works, and nothing else.
TEST(BpeFiles, DamagedTextsAreRefusedOrWork) {
  Rng rng(43);
  Index refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string vocabulary = kVocabulary;
    std::string merges = kMerges;
    std::string& text = i % 2 == 0 ? vocabulary : merges;
    text = testing_support::mutate(text, rng);
    try {
      const nn::BpeTokenizer tokenizer = nn::BpeTokenizer::parse(vocabulary, merges);
      ASSERT_EQ(tokenizer.decode(tokenizer.encode("hello 's \xFF")), "hello 's \xFF");
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 7000);
}

TEST(BpeFiles, LoadNamesTheFile) {
  const testing_support::TemporaryFolder folder;
  const std::string vocabulary = folder.file("vocab.json");
  const std::string merges = folder.file("merges.txt");
  testing_support::write_bytes(vocabulary, kVocabulary);
  expect_said(file_error_of([&] { nn::BpeTokenizer::load(vocabulary, merges); }), "CannotOpen",
              merges);
  testing_support::write_bytes(merges, "h e\r\n");
  expect_said(file_error_of([&] { nn::BpeTokenizer::load(vocabulary, merges); }), "BadEntry",
              merges + " (byte 0)");
  expect_said(file_error_of(
                  [&] { hand_made_tokenizer().save(vocabulary, folder.file("none/merges.txt")); }),
              "CannotWrite", "merges.txt");
  EXPECT_EQ(testing_support::read_bytes(vocabulary), kVocabulary);
  EXPECT_EQ(folder.entry_count(), 2);
}

TEST(ByteLetters, AreGpt2s) {
  EXPECT_EQ(nn::letters_of(std::string(" \n\t\x7F\xAD\0~\xA1", 8)), "ĠĊĉġŃĀ~¡");
  std::string all;
  for (const unsigned char byte : nn::bytes_by_letter()) all += static_cast<char>(byte);
  EXPECT_EQ(all.size(), 256U);
  EXPECT_EQ(all.substr(0, 3), "!\"#");
  EXPECT_EQ(all[188], '\0');
  EXPECT_EQ(all[255], '\xAD');
  EXPECT_EQ(nn::bytes_of(nn::letters_of(all)), all);
  EXPECT_FALSE(nn::bytes_of(" ").has_value());
  EXPECT_FALSE(nn::bytes_of("\u0144").has_value());
  EXPECT_FALSE(nn::bytes_of("\xFF").has_value());
}

}  // namespace
}  // namespace vitro::test
