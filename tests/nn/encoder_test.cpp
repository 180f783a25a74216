// Encoders, recurrent cells and the encoder–decoder with its ways to decode.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/gradcheck.h"
#include "autograd/no_grad.h"

#include "nn/layers/recurrent.h"
#include "nn/models/decode.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

nn::EncoderOptions small_encoder() {
  return {.vocab_size = 11,
          .block_size = 8,
          .layer_count = 2,
          .block = {.channels = 12, .head_count = 3},
          .padding = 0};
}

nn::EncoderDecoderOptions small_translator() {
  return {.source = small_encoder(),
          .target_vocab_size = 5,
          .target_block_size = 6,
          .decoder_layer_count = 2};
}

TEST(Encoder, PaddingChangesNothing) {
  const NoGrad no_grad;
  for (const nn::PositionKind positions :
       {nn::PositionKind::kLearned, nn::PositionKind::kSinusoidal, nn::PositionKind::kRotary}) {
    for (const nn::Labels labels : {nn::Labels::kEachToken, nn::Labels::kWholeSequence}) {
      Rng rng(2);
      nn::EncoderOptions options = small_encoder();
      options.positions = positions;
      nn::EncoderClassifier model(options, 4, labels, rng);
      randomize(model, rng);
      const Tensor alone = model(Indices({1, 3}, {7, 2, 9})).value();
      const Tensor padded = model(Indices({2, 5}, {7, 2, 9, 0, 0, 1, 2, 3, 4, 5})).value();
      const Tensor same = labels == nn::Labels::kEachToken
                              ? narrow(narrow(padded, 0, 0, 1), 1, 0, 3)
                              : narrow(padded, 0, 0, 1);
      const std::vector<Scalar> values = alone.to_vector();
      expect_close(same, alone.shape(), {values.begin(), values.end()}, 1e-5);
    }
  }
}

TEST(Encoder, LooksBothWaysAndStartsNearLnOfTheClasses) {
  const NoGrad no_grad;
  Rng rng(2);
  nn::EncoderClassifier model(small_encoder(), 10, nn::Labels::kEachToken, rng);
  const Indices tokens = random_tokens({3, 7}, 11, rng);
  const Variable loss = cross_entropy(model(tokens), random_tokens({3, 7}, 10, rng));
  EXPECT_NEAR(static_cast<double>(loss.item()), std::log(10.0), 0.1);
  randomize(model, rng);
  const Scalar before = model(Indices({1, 3}, {1, 2, 3})).value().at({0, 0, 0});
  EXPECT_NE(model(Indices({1, 3}, {1, 2, 4})).value().at({0, 0, 0}), before);
}

TEST(Encoder, RefusesWhatDoesNotFit) {
  Rng rng(1);
  nn::EncoderOptions options = small_encoder();
  options.positions = nn::PositionKind::kAlibi;
  expect_error_contains<std::invalid_argument>([&] { nn::Encoder model(options, rng); }, "ALiBi");
  options = small_encoder();
  options.padding = 11;
  expect_error_contains<std::invalid_argument>([&] { nn::Encoder model(options, rng); },
                                               "padding is 11");
  nn::Encoder model(small_encoder(), rng);
  expect_error_contains<ShapeError>(
      [&] {
        model(Indices({1, 9}, std::vector<Index>(9, 1)));
      },
      "block_size (8)");
}

TEST(TanhRecurrent, IsTheLoopOfItsFormula) {
  Rng rng(4);
  nn::TanhRecurrent cell(3, 5, rng);
  randomize(cell, rng);
  const Tensor x = random_tensor({2, 4, 3}, rng);
  const Tensor y = cell(Variable(x)).value();
  ASSERT_EQ(y.shape(), Shape({2, 4, 5}));
  const Tensor w_x = named(cell, "w_x").value(), w_h = named(cell, "w_h").value();
  for (Index row = 0; row < 2; ++row) {
    std::vector<double> h(5, 0);
    for (Index t = 0; t < 4; ++t) {
      std::vector<double> next;
      for (Index j = 0; j < 5; ++j) {
        auto sum = static_cast<double>(named(cell, "bias").value().at({j}));
        for (Index i = 0; i < 3; ++i) sum += double(x.at({row, t, i})) * double(w_x.at({i, j}));
        for (Index i = 0; i < 5; ++i) sum += h[std::size_t(i)] * double(w_h.at({i, j}));
        next.push_back(std::tanh(sum));
        EXPECT_NEAR(static_cast<double>(y.at({row, t, j})), next.back(), 1e-5);
      }
      h = next;
    }
  }
  expect_error_contains<ShapeError>(
      [&] {
        cell(Variable(random_tensor({2, 4, 2}, rng)));
      },
      "[batch, time, 3]");
}

// Suites named Grad… run in double.
TEST(GradModels, OfRecurrentAndTranslator) {
  Rng rng(6);
  nn::TanhRecurrent cell(2, 3, rng);
  const Variable x = parameter(random_tensor({2, 3, 2}, rng), "x");
  randomize(cell, rng);
  std::vector<Variable> inputs = cell.parameters();
  inputs.push_back(x);
  const GradcheckResult recurrent =
      gradcheck([&](const std::vector<Variable>&) { return cell(x); }, inputs);
  EXPECT_TRUE(recurrent.passed) << recurrent;

  if (sizeof(Scalar) == 4)
    GTEST_SKIP()
        << "a whole model's differences need double: of the two the translator was NOT tried";
  nn::EncoderDecoderOptions options = small_translator();
  options.source.layer_count = 1;
  options.decoder_layer_count = 1;
  options.source.block = {.channels = 4, .head_count = 2};
  nn::EncoderDecoder model(options, rng);
  randomize(model, rng);
  const Indices sources({2, 3}, {1, 2, 0, 4, 5, 6});
  const Indices targets({2, 2}, {1, 2, 3, 4});
  const GradcheckResult translator = gradcheck(
      [&](const std::vector<Variable>&) { return model(sources, targets); }, model.parameters());
  EXPECT_TRUE(translator.passed) << translator;
}

// Deviation 0.02/√branches, counted for each stream: 2 in a block that reads, 3 in one that writes.
TEST(EncoderDecoder, BranchEndsStartByTheBranchesOfTheirOwnStream) {
  Rng rng(1);
  nn::EncoderDecoderOptions options = small_translator();
  options.source.layer_count = 4;
  options.source.block = {.channels = 32, .head_count = 4};
  options.decoder_layer_count = 1;
  const nn::EncoderDecoder model(options, rng);
  const auto expect_branches = [&model](const std::string& name, double branch_count) {
    const double expected = 0.02 / std::sqrt(branch_count);
    const auto variance = static_cast<double>(var(named(model, name).value()).item());
    EXPECT_NEAR(std::sqrt(variance), expected, 0.1 * expected) << name;
  };
  expect_branches("encoder.block_0.attention.w_o", 8);
  expect_branches("encoder.block_3.feed_forward.contract.weight", 8);
  expect_branches("block_0.attention.w_o", 3);
  expect_branches("block_0.cross_attention.w_o", 3);
  expect_branches("block_0.feed_forward.contract.weight", 3);
  expect_branches("encoder.block_0.attention.w_qkv", 1);
  expect_branches("block_0.attention.w_qkv", 1);
  expect_branches("encoder.tokens.weight", 1);
}

TEST(EncoderDecoder, SeesTheSourceAndOnlyEarlierTargets) {
  const NoGrad no_grad;
  for (const nn::NormPlace place : {nn::NormPlace::kPre, nn::NormPlace::kPost}) {
    Rng rng(8);
    nn::EncoderDecoderOptions options = small_translator();
    options.source.block.norm_place = place;
    nn::EncoderDecoder model(options, rng);
    randomize(model, rng);
    const Indices source({1, 4}, {1, 2, 3, 4});
    const Tensor logits = model(source, Indices({1, 4}, {0, 1, 2, 3})).value();
    const Tensor other = model(source, Indices({1, 4}, {0, 1, 2, 4})).value();
    expect_same_bits(narrow(logits, 1, 0, 3), narrow(other, 1, 0, 3));
    EXPECT_NE(logits.at({0, 3, 0}), other.at({0, 3, 0}));
    const Tensor read = model(Indices({1, 4}, {1, 2, 3, 5}), Indices({1, 4}, {0, 1, 2, 3})).value();
    EXPECT_NE(logits.at({0, 0, 0}), read.at({0, 0, 0}));
    // Padding behind the source is not looked at.
    const Tensor padded =
        model(Indices({1, 6}, {1, 2, 3, 4, 0, 0}), Indices({1, 4}, {0, 1, 2, 3})).value();
    const std::vector<Scalar> values = logits.to_vector();
    expect_close(padded, logits.shape(), {values.begin(), values.end()}, 1e-5);
  }
}

// log p of one target after the source, by teacher forcing: what decoding must agree with.
double log_probability(nn::EncoderDecoder& model, const Indices& source,
                       const std::vector<Index>& tokens, const nn::DecodeOptions& options) {
  std::vector<Index> inputs{options.start_token};
  inputs.insert(inputs.end(), tokens.begin(), tokens.end());
  std::vector<Index> targets = tokens;
  const bool stops = static_cast<Index>(tokens.size()) < options.longest;
  if (stops) targets.push_back(options.stop_token);
  inputs.resize(targets.size());
  const auto time = static_cast<Index>(inputs.size());
  const Variable loss = cross_entropy(model(reshape(source, {1, -1}), Indices({1, time}, inputs)),
                                      Indices({1, time}, targets));
  return -static_cast<double>(loss.item()) * static_cast<double>(time);
}

// All sequences of up to `longest` tokens of 1 … 4 (0 stops).
std::vector<std::vector<Index>> all_sequences(Index longest) {
  std::vector<std::vector<Index>> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<Index>(all[i].size()) == longest) continue;
    for (Index token = 1; token < 5; ++token) {
      all.push_back(all[i]);
      all.back().push_back(token);
    }
  }
  return all;
}

TEST(Decode, WithAllBeamsFindsTheLikeliestOfAllSequences) {
  const NoGrad no_grad;
  const nn::DecodeOptions options{.start_token = 0, .stop_token = 0, .longest = 3};
  bool greedy_missed_one = false;
  for (int seed = 1; seed <= 6; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    nn::EncoderDecoder model(small_translator(), rng);
    randomize(model, rng);
    const Indices source = random_tokens({4}, 10, rng);
    std::vector<Index> best;
    double best_log_p = -1e9;
    for (const std::vector<Index>& tokens : all_sequences(3)) {
      const double log_p = log_probability(model, source, tokens, options);
      if (log_p > best_log_p) best = tokens;
      best_log_p = std::max(best_log_p, log_p);
    }
    const auto found = nn::decode_with_beams(model, source, options, 1000);
    EXPECT_EQ(found.size(), all_sequences(3).size());
    EXPECT_EQ(found[0].tokens, best);
    EXPECT_NEAR(found[0].log_probability, best_log_p, 1e-4);
    // One beam is greedy, and what greedy wrote has its own probability.
    const auto greedy = nn::decode_greedily(model, reshape(source, {1, -1}), options);
    const auto one = nn::decode_with_beams(model, source, options, 1);
    EXPECT_EQ(one[0].tokens, greedy[0]);
    EXPECT_NEAR(one[0].log_probability, log_probability(model, source, greedy[0], options), 1e-4);
    greedy_missed_one = greedy_missed_one || greedy[0] != best;
  }
  EXPECT_TRUE(greedy_missed_one) << "the seeds show no difference between greedy and beams";
}

TEST(Decode, RowsOfABatchAreDecodedAsAlone) {
  Rng rng(3);
  nn::EncoderDecoder model(small_translator(), rng);
  randomize(model, rng);
  const nn::DecodeOptions options{.start_token = 0, .stop_token = 0, .longest = 6};
  const Indices sources = random_tokens({5, 4}, 10, rng);
  const auto together = nn::decode_greedily(model, sources, options);
  for (Index row = 0; row < 5; ++row) {
    EXPECT_EQ(nn::decode_greedily(model, narrow(sources, 0, row, 1), options)[0],
              together[static_cast<std::size_t>(row)]);
  }
  EXPECT_TRUE(model.is_training());
  nn::DecodeOptions wrong = options;
  wrong.longest = 7;
  expect_error_contains<std::invalid_argument>([&] { nn::decode_greedily(model, sources, wrong); },
                                               "longest is 7");
}

}  // namespace
}  // namespace vitro::test
