// Generation with a cache: the same numbers as without, bit for bit.
#include <gtest/gtest.h>

#include "tensor/views.h"

#include "autograd/no_grad.h"

#include "nn/models/generate.h"

#include "tests/support/expect.h"

namespace vitro::nn {
namespace {

using test::expect_error_contains;
using test::expect_same_bits;

GptOptions small_options(PositionKind positions) {
  GptOptions options;
  options.vocab_size = 11;
  options.block_size = 13;
  options.layer_count = 2;
  options.head_count = 3;
  options.channels = 18;
  options.positions = positions;
  return options;
}

class CachedGpt : public testing::TestWithParam<PositionKind> {};

TEST_P(CachedGpt, GivesTheLogitsOfAllTokensAtOnceHoweverTheyArrive) {
  Rng rng(3);
  Gpt model(small_options(GetParam()), rng);
  const NoGrad no_grad;
  const Indices tokens({2, 7}, {1, 10, 3, 3, 0, 7, 5, 2, 9, 9, 4, 8, 6, 1});
  const Tensor expected = model(tokens).value();
  for (const std::vector<Index>& parts : {std::vector<Index>{7}, {1, 1, 1, 1, 1, 1, 1}, {3, 4}}) {
    GptCache cache = model.make_cache();
    Index start = 0;
    for (const Index length : parts) {
      const Tensor logits = model(narrow(tokens, 1, start, length), cache).value();
      expect_same_bits(logits, narrow(expected, 1, start, length));
      start += length;
    }
  }
}

TEST_P(CachedGpt, NextLogitsAreTheLastOnes) {
  Rng rng(3);
  Gpt model(small_options(GetParam()), rng);
  const NoGrad no_grad;
  const Indices tokens({2, 7}, {1, 10, 3, 3, 0, 7, 5, 2, 9, 9, 4, 8, 6, 1});
  const Tensor expected = model(tokens).value();
  GptCache cache = model.make_cache();
  Index start = 0;
  for (const Index length : {3, 1, 3}) {
    const Tensor logits = model.next_logits(narrow(tokens, 1, start, length), cache).value();
    start += length;
    expect_same_bits(logits, narrow(expected, 1, start - 1, 1));
  }
  EXPECT_THROW(model.next_logits(narrow(tokens, 1, 0, 0), cache), ShapeError);
}

TEST_P(CachedGpt, WritesTheSameTokensAsWithoutPastTheBlockSize) {
  Rng rng(5);
  Gpt model(small_options(GetParam()), rng);
  for (const std::vector<Index>& prompt : {std::vector<Index>{4}, std::vector<Index>(30, 2)}) {
    Rng draws(7);
    Rng same_draws(7);
    EXPECT_EQ(generate(model, prompt, 40, {}, draws, Cache::kYes),
              generate(model, prompt, 40, {}, same_draws, Cache::kNo));
  }
}

INSTANTIATE_TEST_SUITE_P(Positions, CachedGpt,
                         testing::Values(PositionKind::kLearned, PositionKind::kSinusoidal,
                                         PositionKind::kRotary, PositionKind::kAlibi));

TEST(KeyValueCache, AppendsWithoutCopyingWhatItHolds) {
  Rng rng(5);
  Gpt model(small_options(PositionKind::kLearned), rng);
  generate(model, {4}, 5, {}, rng);
  const Index before = detaching_copy_count();
  generate(model, {4}, 12, {}, rng);
  EXPECT_EQ(detaching_copy_count(), before);
}

TEST(KeyValueCache, RefusesWhatDoesNotFit) {
  Rng rng(5);
  Gpt model(small_options(PositionKind::kLearned), rng);
  const NoGrad no_grad;
  GptCache cache = model.make_cache();
  model(Indices({1, 12}, std::vector<Index>(12, 1)), cache);
  expect_error_contains<ShapeError>(
      [&] {
        model(Indices({1, 2}, {1, 1}), cache);
      },
      "from position 12");
  expect_error_contains<ShapeError>(
      [&] {
        model(Indices({2, 1}, {1, 1}), cache);
      },
      "batch, heads and head_size must stay the same");
  GptCache other(1, KeyValueCache(13));
  expect_error_contains<std::invalid_argument>(
      [&] {
        model(Indices({1, 1}, {1}), other);
      },
      "make_cache()");
  expect_error_contains<std::invalid_argument>([] { KeyValueCache(0); }, "capacity is 0");
}

}  // namespace
}  // namespace vitro::nn
