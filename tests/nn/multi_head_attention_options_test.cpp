// MultiHeadAttention: memories, positions, dropout and errors.
#include <cmath>

#include "tensor/arithmetic.h"
#include "tensor/join.h"
#include "tensor/positions.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "nn/layers/self_attention.h"

#include "tests/nn/attention_loop.h"
#include "tests/support/reference.h"

namespace vitro::test {
namespace {

TEST(MultiHeadAttention, CrossAttentionReadsAMemoryOfAnotherLength) {
  Rng rng(9);
  MultiHeadAttention layer(options_of(12, 3), rng);
  randomize(layer, rng);
  layer.keep_weights();
  const Variable x(random_tensor({2, 5, 12}, rng));
  for (const Index keys : {1, 3, 11}) {
    const Variable memory(random_tensor({2, keys, 12}, rng));
    const std::vector<AttentionMask> none(3);
    const Tensor y = layer(x, memory, AttentionMask{}).value();
    expect_close(y, reference_of(loop_over_heads(layer, 3, x, memory, none).value()),
                 kLoopTolerance);
    EXPECT_EQ(layer.weights().shape(), (Shape{2, 3, 5, keys}));
  }
}

TEST(MultiHeadAttention, AttendingToItselfAsAMemoryIsSelfAttention) {
  Rng rng(10);
  for (const auto positions :
       {HeadPositions::kNone, HeadPositions::kRotary, HeadPositions::kAlibi}) {
    MultiHeadAttention layer(options_of(12, 3, positions), rng);
    randomize(layer, rng);
    const Variable x(random_tensor({2, 7, 12}, rng));
    const Tensor whole = layer(x, causal()).value();
    expect_close(layer(x, x, causal()).value(), reference_of(whole), kTolerance);
    // The last queries alone: both sequences end at the same time.
    const Tensor last = layer(narrow(x, 1, 4, 3), x, causal()).value();
    expect_close(last, reference_of(narrow(whole, 1, 4, 3)), kTolerance);
  }
}

TEST(MultiHeadAttention, BL75_RotaryScoresDependOnTheDistanceAlone) {
  Rng rng(11);
  MultiHeadAttention layer(options_of(12, 3, HeadPositions::kRotary), rng);
  randomize(layer, rng);
  layer.keep_weights();
  const Tensor token = random_tensor({1, 12}, rng);
  layer(Variable(contiguous(broadcast_to(token, {7, 12}))));  // the same token everywhere
  const Tensor w = layer.weights().value();
  const auto score = [&](Index head, Index query, Index key) {  // less that of distance 0
    return std::log(static_cast<double>(w.at({head, query, key}) / w.at({head, query, query})));
  };
  for (Index head = 0; head < 3; ++head) {
    EXPECT_GT(std::fabs(score(head, 0, 3)), 1e-3);
    for (const Index shift : {1, 3}) {
      EXPECT_NEAR(score(head, shift, shift + 3), score(head, 0, 3), 2e-5);
      EXPECT_NEAR(score(head, 3 + shift, shift), score(head, 3, 0), 2e-5);
    }
  }
}

TEST(MultiHeadAttention, BL76_RotaryNeedsHeadsOfAnEvenSize) {
  Rng rng(12);
  const auto odd = [&] { MultiHeadAttention(options_of(15, 5, HeadPositions::kRotary), rng); };
  expect_error_contains<std::invalid_argument>(odd, "size 3");
}

TEST(MultiHeadAttention, AlibiAddsItsBiasAndKeepsTheCallersOwn) {
  Rng rng(13);
  MultiHeadAttention with_alibi(options_of(12, 3, HeadPositions::kAlibi), rng);
  MultiHeadAttention plain(options_of(12, 3), rng);
  randomize(with_alibi, rng);
  for (const nn::NamedParameter& parameter : with_alibi.named_parameters()) {
    set_named(plain, parameter.name, parameter.variable.value());
  }
  const Variable x(random_tensor({2, 7, 12}, rng));
  AttentionMask alibi = causal();
  alibi.bias = alibi_bias(3, 7);
  alibi.bias = reshape(alibi.bias, {1, 3, 7, 7});
  expect_same_bits(with_alibi(x, causal()).value(), plain(x, alibi).value());

  AttentionMask own = causal();
  own.bias = random_tensor({2, 7, 7}, rng);
  AttentionMask both = causal();
  both.bias = unsqueeze(own.bias, 1) + alibi.bias;
  expect_close(with_alibi(x, own).value(), reference_of(plain(x, both).value()), kTolerance);
}

TEST(MultiHeadAttention, DropoutActsOnWeightsWhileTraining) {
  MultiHeadAttentionOptions options = options_of(12, 3);
  options.dropout = Scalar(0.4);
  Rng rng(14);
  const Variable x(random_tensor({2, 7, 12}, rng));
  const auto run = [&](std::uint64_t seed, bool training) {
    Rng own(seed);
    MultiHeadAttention layer(options, own);
    Rng same(99);
    randomize(layer, same);
    layer.keep_weights();
    if (!training) layer.eval();
    const Tensor y = layer(x).value();
    // The kept weights are those before dropout.
    expect_close(sum(layer.weights().value(), {-1}), {2, 3, 7}, std::vector<double>(42, 1.0));
    return y;
  };
  expect_same_bits(run(1, true), run(1, true));
  EXPECT_NE(run(1, true).to_vector(), run(2, true).to_vector());
  EXPECT_NE(run(1, true).to_vector(), run(1, false).to_vector());
  expect_same_bits(run(1, false), run(2, false));
}

TEST(MultiHeadAttention, KeepingWeightsNeverChangesTheOutput) {
  Rng rng(15);
  for (const double dropout : {0.0, 0.3}) {
    MultiHeadAttentionOptions options = options_of(12, 3);
    options.dropout = static_cast<Scalar>(dropout);
    const Variable x(random_tensor({2, 7, 12}, rng));
    const auto run = [&](bool keep) {
      Rng seed(5);
      MultiHeadAttention layer(options, seed);
      if (keep) layer.keep_weights();
      return layer(x, causal()).value();
    };
    expect_same_bits(run(true), run(false));
  }
}

TEST(MultiHeadAttention, BL12_NamesBothNumbersAndWhatWouldFit) {
  Rng rng(17);
  const auto make = [&] { MultiHeadAttention(options_of(1600, 48), rng); };
  const std::string text = message_of<std::invalid_argument>(make);
  for (const char* part : {"1600", "48", "40, 50"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const auto none = [&] { MultiHeadAttention(options_of(0, 1), rng); };
  expect_error_contains<std::invalid_argument>(none, "channels is 0");
  const auto no_heads = [&] { MultiHeadAttention(options_of(6, 0), rng); };
  expect_error_contains<std::invalid_argument>(no_heads, "head_count is 0");
}

TEST(MultiHeadAttention, RefusesWrongShapes) {
  Rng rng(18);
  MultiHeadAttention layer(options_of(12, 3), rng);
  expect_error_contains<ShapeError>([&] { layer(Variable(zeros({2, 5}))); }, "[2, 5]");
  expect_error_contains<ShapeError>([&] { layer(Variable(zeros({12}))); }, "[12]");
  const Variable x(zeros({2, 7, 12}));
  const auto mask = [&] { layer(x, with_mask(ones({7, 5}))); };
  expect_error_contains<ShapeError>(mask, "[7, 5]");
  const auto memory = [&] { layer(x, Variable(zeros({2, 3, 6})), AttentionMask{}); };
  expect_error_contains<ShapeError>(memory, "[2, 3, 6]");
  expect_error_contains<std::logic_error>([&] { layer.weights(); }, "keep_weights()");
}

}  // namespace
}  // namespace vitro::test
