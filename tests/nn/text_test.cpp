// CharTokenizer, TokenWindows, and what counting reaches.
#include <cmath>
#include <set>

#include "nn/text/char_tokenizer.h"
#include "nn/text/token_windows.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

using nn::CharTokenizer;
using nn::TokenWindows;
using Ids = std::vector<Index>;

TEST(CharTokenizer, NumbersTheSortedCharacters) {
  const CharTokenizer tokenizer(std::string_view("hello world"));
  EXPECT_EQ(tokenizer.vocab_size(), 8);
  EXPECT_EQ(tokenizer.characters(),
            (std::vector<std::string>{" ", "d", "e", "h", "l", "o", "r", "w"}));
  EXPECT_EQ(tokenizer.encode("he low"), (Ids{3, 2, 0, 4, 5, 7}));
  EXPECT_EQ(tokenizer.decode({3, 2, 0, 4, 5, 7}), "he low");
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST(CharTokenizer, ACodePointIsOneCharacter) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";  // a é € 😀 z
  EXPECT_EQ(nn::split_characters(text).size(), 5U);
  const CharTokenizer tokenizer{std::string_view(text)};
  EXPECT_EQ(tokenizer.vocab_size(), 5);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(CharTokenizer, BL60_BytesThatAreNotUtf8ComeBackAsTheyAre) {
  const std::vector<std::string> wrong{"\xC3",              // half of é
                                       "\xA9",              // the other half
                                       "\xC0\xAF",          // an overlong /
                                       "\xE0\x80\xAF",      // and a longer one
                                       "\xED\xA0\x80",      // a surrogate
                                       "\xF4\x90\x80\x80",  // above U+10FFFF
                                       "\xF8\x88\x80\x80",
                                       "\xFF",
                                       "\xE2\x82",
                                       "\xF0\x9F\x98"};
  for (const std::string& bytes : wrong) {
    EXPECT_EQ(nn::split_characters(bytes).size(), bytes.size());
    const std::string text = "x" + bytes + "y" + bytes;
    const CharTokenizer tokenizer{std::string_view(text)};
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
  const CharTokenizer half(std::string_view("\xC3"));
  EXPECT_EQ(half.decode({0}), "\xC3");
}

TEST(CharTokenizer, EveryByteAndTheZeroByteRoundTrip) {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  text += text;
  const CharTokenizer tokenizer{std::string_view(text)};
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(CharTokenizer, BL61_LineEndsRoundTrip) {
  const std::string text = "a\r\nb\r\n";
  const CharTokenizer tokenizer{std::string_view(text)};
  EXPECT_EQ(tokenizer.vocab_size(), 4);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(CharTokenizer, BL39_IdsThatAreNoTokenAreAnOrdinaryError) {
  const CharTokenizer tokenizer(std::string_view("abc"));
  for (const Ids& ids : {Ids{3}, Ids{0, 3, 1}, Ids{-1}}) {
    expect_error_contains<std::out_of_range>([&] { tokenizer.decode(ids); }, "from 0 to 2");
  }
}

TEST(CharTokenizer, NamesTheFirstUnknownCharacter) {
  const CharTokenizer tokenizer(std::string_view("abc"));
  const auto encode = [&tokenizer](const std::string& text) {
    return [&tokenizer, text] { tokenizer.encode(text); };
  };
  expect_error_contains<std::out_of_range>(encode("ab\xC3\xA9x"), "'\xC3\xA9'");
  expect_error_contains<std::out_of_range>(encode("a\n"), "byte 10");
  expect_error_contains<std::out_of_range>(encode("a\xFF"), "byte 255");
}

TEST(CharTokenizer, IsRebuiltFromItsCharacters) {
  const std::string text =
      "b\xC3\xA9"
      "a\xFF";
  const CharTokenizer first{std::string_view(text)};
  const CharTokenizer second(first.characters());
  EXPECT_EQ(second.encode(text), first.encode(text));
}

TEST(CharTokenizer, RefusesListsThatAreNoAlphabet) {
  using List = std::vector<std::string>;
  const auto make = [](const List& list) { return [list] { CharTokenizer tokenizer(list); }; };
  expect_error_contains<std::invalid_argument>(make({}), "must not be empty");
  expect_error_contains<std::invalid_argument>(make({"a", "b", "a"}), "'a'");
  expect_error_contains<std::invalid_argument>(make({"a", ""}), "''");
  expect_error_contains<std::invalid_argument>(make({"a", "bc"}), "'bc'");
  const auto empty = [] { CharTokenizer tokenizer(std::string_view("")); };
  expect_error_contains<std::invalid_argument>(empty, "must not be empty");
}

TEST(TokenWindows, TargetsFollowInputs) {
  const TokenWindows windows({10, 11, 12, 13, 14}, 3, "the text");
  const nn::Batch batch = windows.at({1, 0});
  EXPECT_EQ(batch.inputs, Indices({2, 3}, {11, 12, 13, 10, 11, 12}));
  EXPECT_EQ(batch.targets, Indices({2, 3}, {12, 13, 14, 11, 12, 13}));
  EXPECT_EQ(windows.count(), 2);
  expect_error_contains<std::out_of_range>([&] { windows.at({2}); }, "from 0 to 1");
  expect_error_contains<std::out_of_range>([&] { windows.at({0, -1}); }, "start -1");
}

TEST(TokenWindows, BL63_EveryWindowIsDrawn) {
  Rng rng(1);
  const auto starts = [&rng](Index count) {
    Ids tokens;
    for (Index i = 0; i < count; ++i) tokens.push_back(i);
    const TokenWindows windows(tokens, 8, "the text");
    std::set<Index> seen;
    for (int draw = 0; draw < 200; ++draw) seen.insert(windows.random(1, rng).inputs[0]);
    return seen;
  };
  EXPECT_EQ(starts(9), (std::set<Index>{0}));
  EXPECT_EQ(starts(10), (std::set<Index>{0, 1}));
  EXPECT_EQ(starts(15), (std::set<Index>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(TokenWindows, RandomBatchesHaveTheirSizeAndFollowTheSeed) {
  Ids tokens;
  for (Index i = 0; i < 50; ++i) tokens.push_back(i);  // each window starts with another
  const TokenWindows windows(tokens, 8, "the text");
  Rng rng(1);
  Rng same_rng(1);
  Rng other_rng(2);
  const nn::Batch batch = windows.random(3, rng);
  EXPECT_EQ(batch.inputs.shape(), (Shape{3, 8}));
  EXPECT_EQ(windows.random(3, same_rng).inputs, batch.inputs);
  EXPECT_NE(windows.random(3, other_rng).inputs, batch.inputs);
  for (const Index size : {0, -1}) {
    const auto call = [&] { windows.random(size, rng); };
    expect_error_contains<std::invalid_argument>(call, "batch_size");
  }
}

TEST(TokenWindows, BL62_ATextShorterThanTheBlockIsRefused) {
  const auto make = [](Index count, Index block) {
    return [count, block] {
      TokenWindows windows(Ids(static_cast<std::size_t>(count), 0), block, "the text");
    };
  };
  const std::string text = message_of<std::invalid_argument>(make(5, 8));
  EXPECT_NE(text.find("the text has 5 tokens"), std::string::npos) << text;
  EXPECT_NE(text.find("at least 9"), std::string::npos) << text;
  expect_error_contains<std::invalid_argument>(make(8, 8), "at least 9");
  expect_error_contains<std::invalid_argument>(make(0, 8), "the text is empty");
  expect_error_contains<std::invalid_argument>(make(5, 0), "block_size is 0");
}

TEST(TokenWindows, BL64_AValidationPartThatIsTooShortIsNamed) {
  const auto [train, validation] = nn::split_tokens(Ids(20, 0), 0.9);
  EXPECT_EQ(train.size(), 18U);
  EXPECT_EQ(validation.size(), 2U);
  const Ids rest = validation;
  const auto make = [&rest] { TokenWindows windows(rest, 8, "the validation text"); };
  expect_error_contains<std::invalid_argument>(make, "the validation text has 2 tokens");
}

TEST(SplitTokens, KeepsEveryTokenInOrder) {
  const Ids tokens{1, 2, 3, 4, 5, 6, 7};
  for (const double fraction : {0.0, 0.3, 0.5, 1.0}) {
    const auto [first, rest] = nn::split_tokens(tokens, fraction);
    EXPECT_EQ(static_cast<double>(first.size()), std::floor(fraction * 7));
    Ids joined = first;
    joined.insert(joined.end(), rest.begin(), rest.end());
    EXPECT_EQ(joined, tokens);
  }
  for (const double wrong : {-0.1, 1.1, std::nan("")}) {
    const auto call = [&] { nn::split_tokens(tokens, wrong); };
    expect_error_contains<std::invalid_argument>(call, "fraction");
  }
}

TEST(CountingLoss, EqualsATinyCaseByHand) {
  const Ids train{0, 1, 0, 1, 0, 2};
  const Ids validation{0, 1, 2};
  // Single tokens: 0 three times, 1 twice, 2 once; each count grows by 0.5, the sum by 1.5.
  EXPECT_NEAR(nn::counting_loss(train, validation, 3, 0, 0.5),
              -(std::log(3.5 / 7.5) + std::log(2.5 / 7.5) + std::log(1.5 / 7.5)) / 3, 1e-12);
  // Pairs: after 0 came 1, 1, 2; after 1 came 0, 0.
  EXPECT_NEAR(nn::counting_loss(train, validation, 3, 1, 0.5),
              -(std::log(2.5 / 4.5) + std::log(0.5 / 3.5)) / 2, 1e-12);
  // Triples: after 0 1 came 0, 0.
  EXPECT_NEAR(nn::counting_loss(train, validation, 3, 2, 0.5), -std::log(0.5 / 3.5), 1e-12);
  // What was never seen is uniform.
  EXPECT_NEAR(nn::counting_loss(train, {2, 2}, 3, 1), std::log(3.0), 1e-12);
  // A training text shorter than the context has seen nothing.
  EXPECT_NEAR(nn::counting_loss({0, 1}, {0, 1, 2, 0}, 3, 3), std::log(3.0), 1e-12);
}

TEST(CountingLoss, RefusesWhatCannotBeCounted) {
  const Ids tokens{0, 1, 0};
  const auto count = [&](const Ids& validation, Index vocab_size, Index order, double pseudo) {
    return [&tokens, validation, vocab_size, order, pseudo] {
      nn::counting_loss(tokens, validation, vocab_size, order, pseudo);
    };
  };
  using Refused = std::invalid_argument;
  expect_error_contains<Refused>(count({0}, 2, 1, 0.1), "1 validation tokens");
  expect_error_contains<Refused>(count({0, 1}, 2, -1, 0.1), "order is -1");
  expect_error_contains<Refused>(count({0, 1}, 0, 1, 0.1), "vocab_size is 0");
  expect_error_contains<Refused>(count({0, 1}, 2, 1, 0), "pseudo_count is 0");
  expect_error_contains<Refused>(count({0, 1}, 2, 1, kInf), "pseudo_count is inf");
  expect_error_contains<std::out_of_range>(count({0, 2}, 2, 1, 0.1), "token 2");
  expect_error_contains<std::out_of_range>(count({0, 1}, 1, 1, 0.1), "token 1");
}

}  // namespace
}  // namespace vitro::test
