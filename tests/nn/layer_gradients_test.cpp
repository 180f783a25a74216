// BL-22: every layer and model hands a gradient to what it was given and to each of its parameters.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <set>

#include "tensor/arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "nn/layers/block.h"
#include "nn/layers/recurrent.h"
#include "nn/layers/self_attention.h"
#include "nn/models/encoder_decoder.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

Scalar largest(const Tensor& x) { return max(abs(x)).item(); }

// What a module makes of x [2, 5, 6], or of tokens of its own.
struct Subject {
  std::unique_ptr<nn::Module> module;
  std::function<Variable(const Variable& x)> run;
};

template <typename Layer, typename... Arguments>
Subject layer(Arguments&&... arguments) {
  auto module = std::make_unique<Layer>(std::forward<Arguments>(arguments)...);
  Layer& made = *module;
  return {std::move(module), [&made](const Variable& x) { return made(x); }};
}

template <typename Model, typename Run, typename... Arguments>
Subject model(const Run& run, Arguments&&... arguments) {
  auto module = std::make_unique<Model>(std::forward<Arguments>(arguments)...);
  Model& made = *module;
  return {std::move(module), [&made, run](const Variable&) { return run(made); }};
}

nn::BlockOptions block_options() {
  nn::BlockOptions options;
  options.channels = 6;
  options.head_count = 3;
  return options;
}

nn::EncoderOptions encoder_options() {
  return {.vocab_size = 11, .block_size = 5, .layer_count = 2, .block = block_options()};
}

const Indices& tokens() {
  static const Indices ids({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  return ids;
}

// By the name of its class.
std::map<std::string, Subject> subjects(Rng& rng) {
  std::map<std::string, Subject> all;
  all["Linear"] = layer<nn::Linear>(6, 7, rng);
  all["LearnedPositions"] = layer<nn::LearnedPositions>(5, 6, rng);
  all["SinusoidalPositions"] = layer<nn::SinusoidalPositions>(5, 6);
  all["SelfAttention"] = layer<nn::SelfAttention>(6, 3, 7, rng);
  nn::MultiHeadAttentionOptions heads;
  heads.channels = 6;
  heads.head_count = 3;
  all["MultiHeadAttention"] = layer<nn::MultiHeadAttention>(heads, rng);
  all["LayerNorm"] = layer<nn::LayerNorm>(6);
  all["RmsNorm"] = layer<nn::RmsNorm>(6);
  all["Dropout"] = layer<nn::Dropout>(Scalar(0.3), rng);
  all["FeedForward"] = layer<nn::FeedForward>(6, 13, nn::Activation::kGeluTanh, rng);
  all["Block"] = layer<nn::Block>(block_options(), rng);
  all["TanhRecurrent"] = layer<nn::TanhRecurrent>(6, 7, rng);
  const auto on_tokens = [](auto& made) { return made(tokens()); };
  all["Embedding"] = model<nn::Embedding>(on_tokens, 11, 6, rng);
  all["Encoder"] = model<nn::Encoder>(on_tokens, encoder_options(), rng);
  all["EncoderClassifier"] = model<nn::EncoderClassifier>(on_tokens, encoder_options(), 3,
                                                          nn::Labels::kWholeSequence, rng);
  all["Gpt"] = model<nn::Gpt>(on_tokens, small_gpt(), rng);
  nn::EncoderDecoderOptions translator;
  translator.source = encoder_options();
  translator.target_vocab_size = 11;
  translator.target_block_size = 5;
  translator.decoder_layer_count = 2;
  all["EncoderDecoder"] = model<nn::EncoderDecoder>(
      [](nn::EncoderDecoder& made) { return made(tokens(), tokens()); }, translator, rng);
  const Variable memory(random_tensor({2, 3, 6}, rng));
  auto decoder = std::make_unique<nn::DecoderBlock>(block_options(), rng);
  nn::DecoderBlock& made = *decoder;
  all["DecoderBlock"] = {std::move(decoder), [&made, memory](const Variable& x) {
                           return made(x, memory, AttentionMask{});
                         }};
  return all;
}

const std::set<std::string>& without_input() {
  static const std::set<std::string> names{"Embedding", "Encoder", "EncoderClassifier", "Gpt",
                                           "EncoderDecoder"};
  return names;
}

TEST(LayerGradients, BL22_EveryLayerReachesItsInputAndItsParameters) {
  Rng rng(22);
  for (const auto& [name, subject] : subjects(rng)) {
    randomize(*subject.module, rng);
    const Variable x = parameter(random_tensor({2, 5, 6}, rng));
    const Variable y = subject.run(x);
    y.backward(random_tensor(y.shape(), rng));
    if (without_input().count(name) == 0) {
      ASSERT_TRUE(x.has_grad()) << name;
      EXPECT_GT(largest(x.grad()), Scalar(1e-3)) << name;
    }
    for (const nn::NamedParameter& parameter : subject.module->named_parameters()) {
      ASSERT_TRUE(parameter.variable.has_grad()) << name << " " << parameter.name;
      EXPECT_GT(largest(parameter.variable.grad()), Scalar(1e-5)) << name << " " << parameter.name;
    }
  }
}

// W_Q, W_K and W_V lie side by side in one parameter: each third has to learn.
TEST(LayerGradients, BL22_QueriesKeysValuesAndOutputAllLearn) {
  Rng rng(23);
  nn::MultiHeadAttentionOptions options;
  options.channels = 6;
  options.head_count = 3;
  nn::MultiHeadAttention attention(options, rng);
  randomize(attention, rng);
  attention(Variable(random_tensor({2, 5, 6}, rng))).backward(random_tensor({2, 5, 6}, rng));
  for (Index third = 0; third < 3; ++third) {
    const Tensor grad = narrow(named(attention, "w_qkv").grad(), 1, 6 * third, 6);
    EXPECT_GT(largest(grad), Scalar(1e-3)) << third;
  }
  EXPECT_GT(largest(named(attention, "w_o").grad()), Scalar(1e-3));
}

// The classes that derive from Module, Layer or Positions in nn/layers and nn/models.
std::set<std::string> classes_of_nn() {
  const std::regex pattern(R"(class (\w+) : public (?:Module|Layer|Positions) \{)");
  std::set<std::string> names;
  for (const char* folder : {"/nn/layers", "/nn/models"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(VITRO_SOURCE_DIR + std::string(folder))) {
      const std::string text = read_bytes(entry.path().string());
      for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
        names.insert((*it)[1].str());
      }
    }
  }
  names.erase("Positions");  // what the two kinds of positions share
  return names;
}

TEST(LayerGradients, BL22_NoLayerIsForgotten) {
  Rng rng(24);
  std::set<std::string> tested;
  for (const auto& [name, subject] : subjects(rng)) tested.insert(name);
  EXPECT_EQ(classes_of_nn(), tested);
}

}  // namespace
}  // namespace vitro::test
