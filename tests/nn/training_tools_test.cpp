// Gradient accumulation, early stop, decay counts, stop tokens; byte tokens, lists, pairs, orders.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "tensor/views.h"

#include "autograd/ops.h"

#include "nn/models/generate.h"
#include "nn/optim/accumulate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/early_stop.h"
#include "nn/optim/sgd.h"
#include "nn/text/byte_tokenizer.h"
#include "nn/text/char_tokenizer.h"
#include "nn/text/lines.h"
#include "nn/text/shuffled_order.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

TEST(TokenMean, BL37_CountsTokensNotBatches) {
  nn::TokenMean mean;
  EXPECT_EQ(mean.mean(), 0);
  mean.add(4, 1);
  mean.add(0, 3);
  mean.add(77, 0);
  EXPECT_EQ(mean.mean(), 1);
  EXPECT_EQ(mean.tokens(), 4);
  EXPECT_THROW(mean.add(1, -1), std::invalid_argument);
}

TEST(GradientAccumulation, BL37_GivesTheGradientOfTheJoinedBatch) {
  const std::vector<std::vector<Index>> targets = {{1, -100, -100}, {2, 0, 1}, {-100, -100, -100}};
  Rng rng(3);
  const Tensor x = random_tensor({3, 3, 4}, rng);
  const Variable w = parameter(random_tensor({4, 3}, rng), "w");
  const auto loss_of = [&w](const Tensor& rows, const Indices& ids) {
    return cross_entropy(matmul(Variable(rows), w), ids);
  };
  std::vector<Index> all;
  for (const auto& row : targets) all.insert(all.end(), row.begin(), row.end());
  const Variable joined = loss_of(x, Indices({3, 3}, all));
  joined.backward();
  const std::vector<Scalar> expected = w.grad().to_vector();
  w.zero_grad();

  nn::GradientAccumulation accumulation;
  for (Index part = 0; part < 3; ++part) {
    const Indices ids({1, 3}, targets[static_cast<std::size_t>(part)]);
    accumulation.add(loss_of(narrow(x, 0, part, 1), ids), nn::counted_tokens(ids));
  }
  const double loss = accumulation.finish({{"w", w}});
  EXPECT_NEAR(loss, static_cast<double>(joined.item()), 1e-5);
  expect_close(w.grad(), {4, 3}, {expected.begin(), expected.end()}, 1e-5);
  EXPECT_EQ(accumulation.finish({{"w", w}}), 0) << "nothing was added since";
}

// What is not split is computed as if there were no accumulation.
TEST(GradientAccumulation, OneBatchAloneIsTheSameToTheLastBit) {
  Rng rng(11);
  const Indices targets({3, 7},
                        {1, 2, -100, 0, 0, 1, 2, 2, 1, 0, 1, -100, 2, 0, 1, 1, 2, 0, 2, 2, 0});
  const Variable logits = parameter(random_tensor({3, 7, 3}, rng), "logits");
  const Variable mean = cross_entropy(logits, targets);
  mean.backward();
  const std::vector<Scalar> expected = logits.grad().to_vector();
  logits.zero_grad();
  const Variable again = cross_entropy(logits, targets);
  nn::GradientAccumulation accumulation;
  accumulation.add(cross_entropy(logits, Indices({3, 7}, std::vector<Index>(21, -100))), 0);
  accumulation.add(again, nn::counted_tokens(targets));
  EXPECT_EQ(accumulation.finish({{"logits", logits}}), static_cast<double>(mean.item()));
  EXPECT_EQ(logits.grad().to_vector(), expected);
  EXPECT_THROW(accumulation.add(mean, -1), std::invalid_argument);
}

// One whose loss is no single number, and one that depends on no parameter.
TEST(GradientAccumulation, ABatchThatThrowsIsNotCounted) {
  const Variable w = parameter(Tensor({2}, {1, 3}), "w");
  nn::GradientAccumulation accumulation;
  EXPECT_THROW(accumulation.add(w, 4), ShapeError);
  EXPECT_THROW(accumulation.add(Variable(full({}, 7)), 4), std::logic_error);
  accumulation.add(mean(w), 1);
  EXPECT_THROW(accumulation.add(Variable(full({}, 7)), 4), std::logic_error);
  EXPECT_EQ(accumulation.finish({{"w", w}}), 2);
  expect_equal(w.grad(), {2}, {0.5, 0.5});
}

// Seven rows in batches of three: the last has one, and the rows count 3, 1, 0, … tokens.
TEST(TokenMean, BL37_AnUnevenLastBatchWeighsItsTokens) {
  Rng rng(5);
  const Tensor logits = random_tensor({7, 3, 4}, rng);
  const Indices targets({7, 3}, {1, 2, 0,    -100, 3, -100, -100, -100, -100, 0, 0,
                                 1, 2, -100, -100, 3, 3,    1,    -100, -100, 2});
  nn::TokenMean mean;
  double mean_of_means = 0;
  for (Index start = 0; start < 7; start += 3) {
    const Index rows = std::min<Index>(3, 7 - start);
    const Indices part = narrow(targets, 0, start, rows);
    const auto loss =
        static_cast<double>(cross_entropy(narrow(logits, 0, start, rows), part).item());
    mean.add(loss, nn::counted_tokens(part));
    mean_of_means += loss / 3;
  }
  const auto whole = static_cast<double>(cross_entropy(logits, targets).item());
  EXPECT_NEAR(mean.mean(), whole, 2e-6);
  EXPECT_GT(std::abs(mean_of_means - whole), 1e-3);
}

TEST(GradientAccumulation, BL34_BatchesWithoutAnAnswerCountNothing) {
  const Indices none({2, 3}, {-100, -100, -100, -100, -100, -100});
  EXPECT_EQ(nn::counted_tokens(none), 0);
  const Variable w = parameter(ones({2, 3, 4}), "w");
  nn::Sgd optimizer({{"w", w}}, {.learning_rate = 1});
  nn::GradientAccumulation accumulation;
  accumulation.add(cross_entropy(w, none), nn::counted_tokens(none));
  EXPECT_EQ(accumulation.finish(optimizer.parameters()), 0);
  optimizer.step();
  cross_entropy(w, none).backward();
  EXPECT_EQ(nn::clip_grad_norm(optimizer.parameters(), 1), 0);
  optimizer.step();
  expect_equal(w.value(), {2, 3, 4}, std::vector<double>(24, 1));
}

TEST(EarlyStop, StopsAfterPatienceWithoutGain) {
  nn::EarlyStop stop(2);
  EXPECT_FALSE(stop.update(3));
  EXPECT_TRUE(stop.is_best());
  EXPECT_FALSE(stop.update(3));
  EXPECT_FALSE(stop.is_best());
  EXPECT_FALSE(stop.update(2.5));
  EXPECT_FALSE(stop.update(kNan));
  EXPECT_TRUE(stop.update(2.6));
  EXPECT_EQ(stop.best(), 2.5);

  nn::EarlyStop demanding(1, 0.5);
  EXPECT_FALSE(demanding.update(3));
  EXPECT_TRUE(demanding.update(2.6)) << "not half lower";
  EXPECT_THROW(nn::EarlyStop(0), std::invalid_argument);
  EXPECT_THROW(nn::EarlyStop(1, kNan), std::invalid_argument);
  EXPECT_THROW(nn::EarlyStop(1, kInf), std::invalid_argument);
}

// inf <= inf - 0.5 holds, so that a loss that was infinite from the start would gain for ever.
TEST(EarlyStop, AnInfiniteLossIsNoGain) {
  for (const double least_gain : {0.0, 0.5}) {
    for (const double loss : {kInf, -kInf}) {
      nn::EarlyStop stop(2, least_gain);
      EXPECT_FALSE(stop.update(loss));
      EXPECT_FALSE(stop.is_best());
      EXPECT_TRUE(stop.update(loss));
      EXPECT_FALSE(stop.update(3)) << "the first finite loss is the best";
      EXPECT_EQ(stop.best(), 3);
    }
  }
}

// The best loss to the last bit, and how long ago it was.
TEST(EarlyStop, ContinuesFromItsState) {
  nn::EarlyStop first(3);
  const std::string fresh = first.state();
  EXPECT_FALSE(first.update(0.1 + 0.2));
  EXPECT_FALSE(first.update(1));
  EXPECT_FALSE(first.update(1));
  nn::EarlyStop second(3);
  second.set_state(first.state());
  EXPECT_EQ(second.best(), 0.1 + 0.2);
  EXPECT_FALSE(second.is_over());
  EXPECT_TRUE(second.update(0.1 + 0.2)) << "as good is no gain";
  EXPECT_TRUE(second.is_over());
  nn::EarlyStop patient(5);
  patient.set_state(second.state());
  EXPECT_FALSE(patient.is_over());
  patient.set_state(fresh);
  EXPECT_FALSE(patient.update(1e9));
  for (const char* text : {"", "2", "2 since", "2 since ", "-1 since 3", "2 since 3x",
                           "2 since nan", "2 since -inf"}) {
    EXPECT_THROW(patient.set_state(text), std::invalid_argument) << text;
  }
  EXPECT_EQ(patient.best(), 1e9) << "a wrong state changed something";
}

TEST(DecayText, BL48_CountsWhatDecays) {
  Rng rng(1);
  nn::GptOptions options = small_gpt();
  options.layer_count = 1;
  const nn::Gpt model(options, rng);
  // Tables, head and the block's four matrices; norms, biases do not.
  const std::string text = nn::decay_text(nn::decay_groups(model, Scalar(0.1)));
  EXPECT_TRUE(text.starts_with("7 of 17 tensors (")) << text;
}

TEST(Generate, EndsAfterTheStopToken) {
  Rng rng(2);
  nn::Gpt model(small_gpt(), rng);
  randomize(model, rng);
  Rng draws(1);
  const std::vector<Index> all = nn::generate(model, {4}, 30, {}, draws);
  const Index stop = all[5];
  const auto first = std::find(all.begin() + 1, all.end(), stop);
  for (const nn::Cache cache : {nn::Cache::kYes, nn::Cache::kNo}) {
    Rng same_draws(1);
    nn::SamplingOptions options;
    options.stop_token = stop;
    EXPECT_EQ(nn::generate(model, {4}, 30, options, same_draws, cache),
              std::vector<Index>(all.begin(), first + 1));
  }
}

TEST(ByteTokenizer, TakesAnyBytes) {
  const nn::ByteTokenizer tokenizer;
  std::string text;
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  text += "é\r\n";
  EXPECT_EQ(tokenizer.encode("Aé"), (std::vector<Index>{65, 195, 169}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(ByteTokenizer, BL39_IdsThatAreNoByteAreAnOrdinaryError) {
  const nn::ByteTokenizer tokenizer;
  for (const std::vector<Index>& ids : {std::vector<Index>{256}, {65, 256, 66}, {-1}}) {
    EXPECT_THROW(tokenizer.decode(ids), std::out_of_range);
  }
}

TEST(ByteTokenizer, BL60_HalfACharacterIsItsByte) {
  const nn::ByteTokenizer tokenizer;
  EXPECT_EQ(tokenizer.decode({0xC3}), "\xC3");
  EXPECT_EQ(tokenizer.decode({0xC3, 0xA9}), "é");
}

TEST(SplitLines, BL61_DropsEveryKindOfLineEnd) {
  const std::vector<std::string> names = {"a", "b c", "d"};
  EXPECT_EQ(nn::split_lines("a\r\nb c\r\nd\r\n"), names);
  EXPECT_EQ(nn::split_lines("a\nb c\n\n\r\nd"), names);
  EXPECT_TRUE(nn::split_lines("").empty());
}

// What a model of names can write is what stood in its list: no line end is among it.
TEST(SplitLines, BL61_NoTokenStandsForACarriageReturn) {
  const std::vector<std::string> names = nn::split_lines("a\r\nb\r\n");
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  const nn::CharTokenizer tokenizer(std::string_view(names[0] + names[1]));
  EXPECT_EQ(tokenizer.characters(), names);
  nn::GptOptions options = small_gpt();
  options.vocab_size = tokenizer.vocab_size();
  Rng rng(1);
  nn::Gpt model(options, rng);
  const std::string written = tokenizer.decode(nn::generate(model, {0}, 50, {}, rng));
  EXPECT_EQ(written.find_first_of("\r\n"), std::string::npos);
}

TEST(SplitPairs, TakesTwoColumnsAndNamesBadLines) {
  using Pairs = std::vector<nn::TextPair>;
  EXPECT_EQ(nn::split_pairs("go\tva\r\n\nstop\thalt\tnote\n", "p"),
            (Pairs{{"go", "va"}, {"stop", "halt"}}));
  for (const char* bad : {"a\tb\nword\n", "a\tb\n\tb\n", "a\tb\na\t\n"}) {
    expect_error_contains<std::invalid_argument>([&] { nn::split_pairs(bad, "p.tsv"); },
                                                 "p.tsv, line 2");
  }
}

TEST(ShuffledOrder, ReachesEveryItemOnceARoundAndGoesOn) {
  Rng rng(1);
  nn::ShuffledOrder order(7, rng);
  std::vector<std::vector<Index>> rounds;
  for (int round = 0; round < 3; ++round) rounds.push_back(order.next(7));
  EXPECT_NE(rounds[0], rounds[1]);
  for (std::vector<Index>& round : rounds) {
    std::sort(round.begin(), round.end());
    EXPECT_EQ(round, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
  }
  for (Index used = 0; used <= 8; ++used) {
    const std::string state = order.state();
    Rng other_rng(9);
    nn::ShuffledOrder resumed(7, other_rng);
    resumed.set_state(state);
    EXPECT_EQ(resumed.next(used), order.next(used));
    EXPECT_EQ(resumed.state(), order.state());
  }
  for (const char* bad : {"", "3 of 8 from 1 2 3 4", "9 of 7 from 1 2 3 4", "x of 7 from 1"}) {
    EXPECT_THROW(order.set_state(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace vitro::test
