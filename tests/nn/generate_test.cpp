// Generation and sampling.
#include "nn/models/generate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>

#include "tensor/reduce.h"
#include "tensor/views.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

using nn::sample;
using nn::SamplingOptions;

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
constexpr Scalar kNan = std::numeric_limits<Scalar>::quiet_NaN();

SamplingOptions greedy() {
  SamplingOptions options;
  options.temperature = 0;
  return options;
}

// How often each id comes in that many draws.
std::vector<Index> counts_of(const Tensor& logits, const SamplingOptions& options, Index draws) {
  Rng rng(1);
  std::vector<Index> counts(static_cast<std::size_t>(logits.size(0)), 0);
  for (Index i = 0; i < draws; ++i) {
    ++counts.at(static_cast<std::size_t>(sample(logits, options, rng)));
  }
  return counts;
}

TEST(Sample, BL66_TemperatureZeroIsGreedyAndOthersAreChecked) {
  const Tensor logits({3}, {1, 3, 2});
  Rng rng(1);
  EXPECT_EQ(sample(logits, greedy(), rng), 1);
  SamplingOptions options;
  for (const double cold : {1e-8, 1e-37}) {
    options.temperature = static_cast<Scalar>(cold);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(sample(logits, options, rng), 1);
  }
  for (const Scalar wrong : {Scalar(-1), kNan, kInfinity}) {
    options.temperature = wrong;
    const auto call = [&] { sample(logits, options, rng); };
    expect_error_contains<std::invalid_argument>(call, "temperature");
  }
}

TEST(Sample, GreedyTakesTheFirstOfEquals) {
  Rng rng(1);
  EXPECT_EQ(sample(Tensor({4}, {1, 5, 5, 2}), greedy(), rng), 1);
}

TEST(Sample, BL67_TopKLimits) {
  const Tensor logits({5}, {0, 2, 1, 2, 0});
  SamplingOptions options;
  options.top_k = 1;
  EXPECT_EQ(counts_of(logits, options, 200)[1], 200);
  options.top_k = 3;
  const std::vector<Index> three = counts_of(logits, options, 2000);
  EXPECT_EQ(three[0] + three[4], 0);
  EXPECT_GT(std::min({three[1], three[2], three[3]}), 100);
  options.top_k = 0;
  const std::vector<Index> all = counts_of(logits, options, 2000);
  for (const Index k : {5, 10}) {
    options.top_k = k;
    EXPECT_EQ(counts_of(logits, options, 2000), all);
  }
  options.top_k = -1;
  Rng rng(1);
  const auto call = [&] { sample(logits, options, rng); };
  expect_error_contains<std::invalid_argument>(call,
                                               "top_k is -1; it must be 1 or more, or 0 for all");
}

TEST(Sample, TopPKeepsTheLikeliestThatReachIt) {
  const Tensor logits({3}, {std::log(Scalar(0.2)), std::log(Scalar(0.5)), std::log(Scalar(0.3))});
  SamplingOptions options;
  options.top_p = Scalar(0.4);
  EXPECT_EQ(counts_of(logits, options, 500)[1], 500);
  options.top_p = Scalar(0.7);
  const std::vector<Index> two = counts_of(logits, options, 2000);
  EXPECT_EQ(two[0], 0);
  EXPECT_NEAR(static_cast<double>(two[1]), 2000 * 0.625, 110);  // five deviations
  options.top_p = 1;
  EXPECT_GT(counts_of(logits, options, 500)[0], 50);
  Rng rng(1);
  for (const Scalar wrong : {Scalar(0), Scalar(-0.5), Scalar(1.5), kNan}) {
    options.top_p = wrong;
    const auto call = [&] { sample(logits, options, rng); };
    expect_error_contains<std::invalid_argument>(call, "top_p");
  }
}

TEST(Sample, FollowsTheProbabilities) {
  const Tensor logits({3}, {0, std::log(Scalar(2)), std::log(Scalar(5))});
  const std::vector<Index> counts = counts_of(logits, {}, 8000);
  EXPECT_NEAR(static_cast<double>(counts[0]), 1000, 150);  // five deviations
  EXPECT_NEAR(static_cast<double>(counts[1]), 2000, 195);
  EXPECT_NEAR(static_cast<double>(counts[2]), 5000, 220);
  SamplingOptions hot;
  hot.temperature = Scalar(1e6);
  for (const Index count : counts_of(logits, hot, 6000)) {
    EXPECT_NEAR(static_cast<double>(count), 2000, 185);
  }
}

TEST(Sample, BL69_AMillionDrawsStayInRangeAndImpossibleIdsNeverCome) {
  const Scalar third = std::log(Scalar(1) / 3);
  const Tensor logits({6}, {-kInfinity, third, -kInfinity, third, third, -kInfinity});
  const std::vector<Index> counts = counts_of(logits, {}, 1000000);
  EXPECT_EQ(counts[0] + counts[2] + counts[5], 0);
  EXPECT_EQ(counts[1] + counts[3] + counts[4], 1000000);
  EXPECT_GT(std::min({counts[1], counts[3], counts[4]}), 330000);
}

// A generator whose next 64 bits are the given ones: next() is rotl(a + d, 23) + a.
Rng rng_before(std::uint64_t bits) {
  Rng rng(1);
  std::ostringstream state;
  state << "0 1 2 " << std::hex << std::rotr(bits, 23);
  rng.set_state(state.str());
  return rng;
}

TEST(Sample, BL69_TheLargestDrawTakesTheLastIdThatCanCome) {
  const Scalar third = std::log(Scalar(1) / 3);
  const Tensor even({3}, {third, third, third});
  const Tensor sparse({5}, {third, third, -kInfinity, third, -kInfinity});
  // 0.99999994 in float is 1 - 2^-24; beside it the largest draw of all, 1 - 2^-53.
  for (const std::uint64_t bits : {0xffffff0000000000U, 0xffffffffffffffffU}) {
    const double draw = rng_before(bits).uniform();
    EXPECT_EQ(draw, static_cast<double>(bits >> 11) * 0x1p-53);
    EXPECT_GT(draw, 0.9999999);
    Rng rng = rng_before(bits);
    EXPECT_EQ(sample(even, {}, rng), 2);
    rng = rng_before(bits);
    EXPECT_EQ(sample(sparse, {}, rng), 3);
    rng = rng_before(bits);
    EXPECT_EQ(sample(even, {.top_k = 2}, rng), 1);
  }
}

TEST(Sample, RefusesLogitsThatAreNone) {
  Rng rng(1);
  const auto of = [&rng](const Tensor& logits) {
    return [&rng, logits] { sample(logits, {}, rng); };
  };
  expect_error_contains<ShapeError>(of(zeros({1, 3})), "[1, 3]");
  expect_error_contains<ShapeError>(of(zeros({0})), "[0]");
  expect_error_contains<std::invalid_argument>(of(Tensor({2}, {1, kNan})), "id 1 is nan");
  expect_error_contains<std::invalid_argument>(of(Tensor({3}, {0, 1, kInfinity})), "id 2 is inf");
  expect_error_contains<std::invalid_argument>(of(full({2}, -kInfinity)), "all 2 logits are -inf");
}

struct Model {
  Rng rng{3};
  nn::Gpt gpt{small_gpt(), rng};

  Model() { randomize(gpt, rng); }
};

// The next token as it is drawn after a fresh forward on exactly this window.
Index drawn_next(nn::Gpt& model, const std::vector<Index>& window, Rng& rng) {
  const auto time = static_cast<Index>(window.size());
  const Tensor logits = model(Indices({1, time}, window)).value();
  return sample(reshape(narrow(logits, 1, time - 1, 1), {-1}), {}, rng);
}

constexpr nn::Cache kBoth[] = {nn::Cache::kNo, nn::Cache::kYes};

TEST(Generate, BL70_AFullWindowIsCutToItsLastHalf) {
  Model model;
  const std::vector<Index> prompt{1, 2, 3, 4, 5};
  for (const nn::Cache cache : kBoth) {
    Rng rng(1);
    Rng same_rng(1);
    const std::vector<Index> tokens = nn::generate(model.gpt, prompt, 20, {}, rng, cache);
    ASSERT_EQ(tokens.size(), 25U);
    EXPECT_TRUE(std::equal(prompt.begin(), prompt.end(), tokens.begin()));
    Index start = 0;  // of the window
    for (Index end = 5; end < 25; ++end) {
      if (end - start > 8) start = end - 4;
      ASSERT_EQ(tokens[static_cast<std::size_t>(end)],
                drawn_next(model.gpt, {tokens.begin() + start, tokens.begin() + end}, same_rng))
          << "token " << end;
    }
  }
}

TEST(Generate, BL70_APromptLongerThanTheBlockIsCutTheSameWay) {
  Model model;
  std::vector<Index> prompt;
  for (Index i = 0; i < 30; ++i) prompt.push_back((i * 7) % 11);
  for (const nn::Cache cache : kBoth) {
    Rng rng(1);
    Rng same_rng(1);
    const std::vector<Index> tokens = nn::generate(model.gpt, prompt, 5, {}, rng, cache);
    ASSERT_EQ(tokens.size(), 35U);
    Index start = 26;  // the last half of a block
    for (Index end = 30; end < 35; ++end) {
      if (end - start > 8) start = end - 4;
      EXPECT_EQ(tokens[static_cast<std::size_t>(end)],
                drawn_next(model.gpt, {tokens.begin() + start, tokens.begin() + end}, same_rng));
    }
  }
}

TEST(Generate, BL13_PromptsOfOneAndFiveTokens) {
  Model model;
  for (const std::vector<Index>& prompt :
       {std::vector<Index>{3}, {0}, {10}, {1, 2, 3, 4, 5}}) {  // three of one token, one of five
    for (const nn::Cache cache : kBoth) {
      Rng rng(1);
      Rng same_rng(1);
      const std::vector<Index> tokens = nn::generate(model.gpt, prompt, 3, {}, rng, cache);
      ASSERT_EQ(tokens.size(), prompt.size() + 3);
      for (auto end = static_cast<Index>(prompt.size()); end < Index(tokens.size()); ++end) {
        EXPECT_EQ(tokens[static_cast<std::size_t>(end)],
                  drawn_next(model.gpt, {tokens.begin(), tokens.begin() + end}, same_rng));
      }
    }
  }
}

TEST(Generate, ABlockOfOneTokenStillGenerates) {
  nn::GptOptions options = small_gpt();
  options.block_size = 1;
  Rng rng(4);
  nn::Gpt model(options, rng);
  EXPECT_EQ(nn::generate(model, {3, 4}, 5, {}, rng).size(), 7U);
}

TEST(Generate, AGeneratorGivesTheSameTokensOneByOne) {
  Model model;
  Rng rng(6);
  const std::vector<Index> expected = nn::generate(model.gpt, {1, 2}, 20, {}, rng);
  Rng same_rng(6);
  {
    nn::Generator generator(model.gpt, {1, 2}, {});
    EXPECT_FALSE(model.gpt.is_training());
    for (std::size_t i = 2; i < 22; ++i) EXPECT_EQ(generator.next(same_rng), expected[i]) << i;
  }
  EXPECT_TRUE(model.gpt.is_training());
}

TEST(Generate, TheSeedDecidesAndTheModeIsRestored) {
  nn::GptOptions options = small_gpt();
  options.dropout = Scalar(0.5);
  Rng rng(5);
  nn::Gpt model(options, rng);
  randomize(model, rng);
  const auto run = [&](std::uint64_t seed) {
    Rng own(seed);
    return nn::generate(model, {1}, 30, {}, own);
  };
  const std::vector<Index> first = run(1);
  EXPECT_TRUE(model.is_training());
  EXPECT_EQ(run(1), first);  // so dropout was off
  EXPECT_NE(run(2), first);
  model.eval();
  run(1);
  EXPECT_FALSE(model.is_training());
}

TEST(Generate, LeavesNoHistoryAndRefusesBadRequests) {
  Model model;
  Rng rng(1);
  const Index before = live_node_count();
  nn::generate(model.gpt, {1}, 5, {}, rng);
  EXPECT_EQ(live_node_count(), before);
  EXPECT_EQ(nn::generate(model.gpt, {1, 2}, 0, {}, rng), (std::vector<Index>{1, 2}));
  const auto with = [&](const std::vector<Index>& prompt, Index count) {
    return [&model, &rng, prompt, count] { nn::generate(model.gpt, prompt, count, {}, rng); };
  };
  expect_error_contains<std::invalid_argument>(with({}, 3), "prompt is empty");
  expect_error_contains<std::invalid_argument>(with({1}, -3), "count is -3");
  expect_error_contains<std::out_of_range>(with({11}, 3), "11");
  expect_error_contains<std::out_of_range>(with({11}, 0), "token id 11");
  std::vector<Index> long_prompt(100, 1);  // of which the model sees the end
  long_prompt.front() = -1;
  expect_error_contains<std::out_of_range>(with(long_prompt, 1), "token id -1");
  nn::SamplingOptions wrong;
  wrong.top_p = 2;
  expect_error_contains<std::invalid_argument>([&] { nn::generate(model.gpt, {1}, 0, wrong, rng); },
                                               "top_p is 2");
  EXPECT_TRUE(model.gpt.is_training());  // also after an error
}

}  // namespace
}  // namespace vitro::test
