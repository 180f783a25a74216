#include "nn/models/gpt.h"

#include <cmath>

#include "tensor/arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/positions.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "autograd/ops.h"

#include "tests/nn/nn_support.h"
#include "tests/support/reference.h"

namespace vitro::test {
namespace {

using nn::Gpt;
using nn::GptOptions;
using nn::Head;
using nn::NormKind;
using nn::NormPlace;
using nn::PositionKind;

TEST(Gpt, BL40_TheFirstLossIsNearTheLogarithmOfTheVocabulary) {
  for (const Index vocab_size : {65, 27, 10}) {
    for (const Head head : {Head::kTied, Head::kUntied}) {
      for (const NormPlace place : {NormPlace::kPre, NormPlace::kPost}) {
        GptOptions options;
        options.vocab_size = vocab_size;
        options.block_size = 17;
        options.layer_count = 3;
        options.head_count = 4;
        options.channels = 32;
        options.head = head;
        options.norm_place = place;
        Rng rng(1);
        Gpt model(options, rng);
        const Indices tokens = random_tokens({5, 18}, vocab_size, rng);
        const Variable loss =
            cross_entropy(model(narrow(tokens, 1, 0, 17)), narrow(tokens, 1, 1, 17));
        EXPECT_NEAR(static_cast<double>(loss.item()), std::log(static_cast<double>(vocab_size)),
                    0.1);
      }
    }
  }
}

TEST(Gpt, BL13_BatchAndTimeOfOneKeepTheirAxes) {
  Rng rng(2);
  Gpt model(small_gpt(), rng);
  model.attentions()[0]->keep_weights();
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 5}, Shape{3, 1}, Shape{2, 3, 7}, Shape{5}}) {
    const Indices tokens = random_tokens(shape, 11, rng);
    const Variable logits = model(tokens);
    std::vector<Index> sizes = shape.sizes();
    sizes.push_back(11);
    EXPECT_EQ(logits.shape(), Shape(sizes));
    const Variable loss = cross_entropy(logits, tokens);
    EXPECT_EQ(loss.rank(), 0);
    loss.backward();
    for (const Variable& parameter : model.parameters()) EXPECT_TRUE(parameter.has_grad());
    model.zero_grad();
  }
  model(Indices({1, 1}, {4}));
  expect_equal(model.attentions()[0]->weights().value(), {1, 3, 1, 1}, {1, 1, 1});
}

TEST(Gpt, IsItsPartsOneAfterTheOther) {
  Rng rng(3);
  GptOptions options = small_gpt();
  options.layer_count = 1;
  Gpt model(options, rng);
  randomize(model, rng);
  nn::BlockOptions block_options;
  block_options.channels = 12;
  block_options.head_count = 3;
  nn::Block block(block_options, rng);
  for (const nn::NamedParameter& parameter : block.named_parameters()) {
    set_named(block, parameter.name, named(model, "block_0." + parameter.name).value());
  }
  const Indices tokens = random_tokens({2, 5}, 11, rng);
  AttentionMask mask;
  mask.causal = true;
  const Variable x = embedding(named(model, "tokens.weight"), tokens) +
                     narrow(named(model, "positions.weight"), 0, 0, 5);
  const Variable normed =
      layer_norm(block(x, mask), named(model, "norm.weight"), named(model, "norm.bias"));
  const Variable logits = matmul(normed, transpose(named(model, "head"), 0, 1));
  expect_same_bits(model(tokens).value(), logits.value());
}

TEST(Gpt, HasAsManyParametersAsTheFormulaSays) {
  GptOptions options = small_gpt();
  const Index v = 11;
  const Index t = 8;
  const Index c = 12;
  const Index block = 2 * 2 * c + (3 * c * c + 3 * c) + (c * c + c) + (8 * c * c + 5 * c);
  const auto count = [&options] {
    Rng rng(4);
    return Gpt(options, rng).parameter_count();
  };
  EXPECT_EQ(count(), 2 * v * c + t * c + 2 * block + 2 * c);  // untied
  options.head = Head::kTied;
  EXPECT_EQ(count(), v * c + t * c + 2 * block + 2 * c);
  options.positions = PositionKind::kRotary;
  EXPECT_EQ(count(), v * c + 2 * block + 2 * c);
  options.positions = PositionKind::kSinusoidal;
  EXPECT_EQ(count(), v * c + 2 * block + 2 * c);
  options.norm = NormKind::kRms;
  EXPECT_EQ(count(), v * c + 2 * (block - 2 * c) + c);
  options.norm = NormKind::kLayer;
  options.bias = nn::Bias::kNo;
  EXPECT_EQ(count(), v * c + 2 * (2 * 2 * c + 12 * c * c) + 2 * c);
}

TEST(Gpt, BL49_ATiedHeadIsListedOnceAndCollectsBothGradients) {
  Rng rng(5);
  GptOptions options = small_gpt();
  options.head = Head::kTied;
  Gpt tied(options, rng);
  options.head = Head::kUntied;
  Gpt untied(options, rng);
  for (const nn::NamedParameter& parameter : tied.named_parameters()) {
    EXPECT_NE(parameter.name, "head");
    set_named(untied, parameter.name, parameter.variable.value());
  }
  set_named(untied, "head", named(tied, "tokens.weight").value());
  EXPECT_EQ(tied.named_parameters().size() + 1, untied.named_parameters().size());
  EXPECT_EQ(tied.parameter_count() + 11 * 12, untied.parameter_count());
  const Indices tokens = random_tokens({2, 5}, 11, rng);
  cross_entropy(tied(tokens), tokens).backward();
  cross_entropy(untied(tokens), tokens).backward();
  const Tensor both = named(untied, "tokens.weight").grad() + named(untied, "head").grad();
  expect_close(named(tied, "tokens.weight").grad(), reference_of(both), kTolerance);
}

TEST(Gpt, EveryParameterGetsAGradientUnderEveryOption) {
  for (const auto positions : {PositionKind::kLearned, PositionKind::kSinusoidal,
                               PositionKind::kRotary, PositionKind::kAlibi}) {
    for (const auto place : {NormPlace::kPre, NormPlace::kPost}) {
      for (const auto norm : {NormKind::kLayer, NormKind::kRms}) {
        GptOptions options = small_gpt();
        options.positions = positions;
        options.norm_place = place;
        options.norm = norm;
        Rng rng(6);
        Gpt model(options, rng);
        randomize(model, rng);
        const Indices tokens = random_tokens({3, 8}, 11, rng);
        cross_entropy(model(tokens), random_tokens({3, 8}, 11, rng)).backward();
        for (const nn::NamedParameter& parameter : model.named_parameters()) {
          ASSERT_TRUE(parameter.variable.has_grad()) << parameter.name;
          EXPECT_GT(max(abs(parameter.variable.grad())).item(), 0) << parameter.name;
        }
      }
    }
  }
}

TEST(Gpt, EveryWayToKnowPositionsTellsOrdersApart) {
  for (const auto positions : {PositionKind::kLearned, PositionKind::kSinusoidal,
                               PositionKind::kRotary, PositionKind::kAlibi}) {
    GptOptions options = small_gpt();
    options.positions = positions;
    Rng rng(7);
    Gpt model(options, rng);
    randomize(model, rng);
    const Tensor a = narrow(model(Indices({4}, {1, 2, 3, 4})).value(), 0, 3, 1);
    const Tensor b = narrow(model(Indices({4}, {2, 1, 3, 4})).value(), 0, 3, 1);
    EXPECT_GT(max(abs(a - b)).item(), Scalar(1e-4));
  }
}

TEST(Gpt, StartsWithTheDocumentedDeviations) {
  Rng rng(8);
  GptOptions options = small_gpt();
  options.channels = 96;
  options.layer_count = 8;
  const Gpt model(options, rng);
  const auto deviation = [&model](const std::string& name) {
    return std::sqrt(static_cast<double>(var(named(model, name).value()).item()));
  };
  EXPECT_NEAR(deviation("block_3.attention.w_qkv"), 0.02, 0.001);
  EXPECT_NEAR(deviation("block_3.feed_forward.expand.weight"), 0.02, 0.001);
  EXPECT_NEAR(deviation("block_3.attention.w_o"), 0.005, 0.0003);
  EXPECT_NEAR(deviation("block_3.feed_forward.contract.weight"), 0.005, 0.0003);
  EXPECT_NEAR(deviation("tokens.weight"), 0.02, 0.002);
  EXPECT_EQ(deviation("block_3.attention.b_o"), 0);
}

TEST(Gpt, TheSameSeedGivesTheSameModel) {
  const auto values = [](std::uint64_t seed) {
    Rng rng(seed);
    return all_values(Gpt(small_gpt(), rng));
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

TEST(Gpt, RefusesWrongSizesAndTokens) {
  const auto make = [](Index GptOptions::*field, Index value) {
    return [field, value] {
      GptOptions options = small_gpt();
      options.*field = value;
      Rng rng(1);
      Gpt(options, rng);
    };
  };
  using Refused = std::invalid_argument;
  expect_error_contains<Refused>(make(&GptOptions::vocab_size, 0), "vocab_size is 0");
  expect_error_contains<Refused>(make(&GptOptions::block_size, 0), "block_size is 0");
  expect_error_contains<Refused>(make(&GptOptions::layer_count, -1), "layer_count is -1");
  expect_error_contains<Refused>(make(&GptOptions::channels, 0), "channels is 0");
  const std::string text = message_of<Refused>(make(&GptOptions::head_count, 5));  // BL-12
  EXPECT_NE(text.find("12 channels"), std::string::npos) << text;
  EXPECT_NE(text.find("5 heads"), std::string::npos) << text;

  Rng rng(1);
  Gpt model(small_gpt(), rng);
  const auto too_long = [&] { model(random_tokens({2, 9}, 11, rng)); };
  expect_error_contains<ShapeError>(too_long, "[2, 9]");
  const auto no_token = [&] { model(Indices({2}, {3, 11})); };
  expect_error_contains<std::out_of_range>(no_token, "11");
  const auto no_axis = [&] { model(Indices({}, {3})); };
  expect_error_contains<ShapeError>(no_axis, "[]");
}

TEST(Gpt, ErrorsNameTheModuleAtWork) {
  Rng rng(1);
  Gpt model(small_gpt(), rng);
  const auto no_token = [&] { model(Indices({2}, {3, 11})); };
  expect_error_contains<std::out_of_range>(no_token, "in tokens)");
  const Variable loss = sum(model(Indices({2}, {3, 4})));
  bool found = false;
  std::vector<const Node*> open{loss.shared_node().get()};
  while (!open.empty() && !found) {
    const Node* node = open.back();
    open.pop_back();
    found = node->module_path != nullptr && *node->module_path == "block_1.feed_forward.expand";
    for (const auto& input : node->inputs) open.push_back(input.get());
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace vitro::test
