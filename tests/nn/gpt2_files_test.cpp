#include "nn/models/gpt2_files.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tensor/files/file_error.h"

#include "nn/weights.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

nn::GptOptions gpt2_options() {
  nn::GptOptions options = small_gpt();
  options.head = nn::Head::kTied;
  options.norm_epsilon = Scalar(3e-5);
  return options;
}

std::uint32_t float_bits(double value) {
  const auto number = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

// The two bytes of a number that both kinds hold exactly: k/128 with |k| < 128.
std::uint16_t bf16_bits(double value) {
  return static_cast<std::uint16_t>(float_bits(value) >> 16);
}

std::uint16_t f16_bits(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // from 1/2 to below 1
  const auto mantissa = static_cast<int>((fraction * 2 - 1) * 1024);
  const int bits = (value < 0 ? 0x8000 : 0) | ((exponent + 14) << 10) | mantissa;
  return static_cast<std::uint16_t>(bits);
}

struct HalfTensor {
  std::string name;
  Tensor values;
};

// A safetensors file by hand, so that it holds what write_safetensors does not write.
std::string half_file(const std::vector<HalfTensor>& tensors, const std::string& dtype) {
  std::string header = "{";
  std::string data;
  for (const HalfTensor& tensor : tensors) {
    const std::size_t begin = data.size();
    for (const Scalar value : tensor.values.to_vector()) {
      const auto number = static_cast<double>(value);
      const std::uint16_t bits = dtype == "F16" ? f16_bits(number) : bf16_bits(number);
      data += static_cast<char>(bits & 0xFF);
      data += static_cast<char>(bits >> 8);
    }
    header += join_text({header.size() > 1 ? "," : "", "\"", tensor.name, "\":{\"dtype\":\"", dtype,
                         "\",\"shape\":", tensor.values.shape(), ",\"data_offsets\":[", begin, ",",
                         data.size(), "]}"});
  }
  header += "}";
  while (header.size() % 8 != 0) header += ' ';
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return bytes + header + data;
}

void use_short_numbers(const nn::Module& module, Rng& rng) {
  for (Variable parameter : module.parameters()) {
    parameter.set_value(Tensor::filled(parameter.shape(), [&](Scalar* out) {
      for (Index i = 0; i < parameter.shape().element_count(); ++i) {
        out[i] = static_cast<Scalar>(rng.below(255) - 127) / 128;
      }
    }));
  }
}

void expect_equal_models(nn::Gpt& a, nn::Gpt& b) {
  EXPECT_EQ(all_values(a), all_values(b));
  Rng rng(9);
  const Indices tokens = random_tokens({2, 8}, 11, rng);
  expect_same_bits(a(tokens).value(), b(tokens).value());
}

TEST(Gpt2Files, NamesFollowGpt2) {
  EXPECT_EQ(nn::gpt2_name("tokens.weight"), "wte.weight");
  EXPECT_EQ(nn::gpt2_name("positions.weight"), "wpe.weight");
  EXPECT_EQ(nn::gpt2_name("block_0.attention.w_qkv"), "h.0.attn.c_attn.weight");
  EXPECT_EQ(nn::gpt2_name("block_11.feed_forward.contract.bias"), "h.11.mlp.c_proj.bias");
  EXPECT_EQ(nn::gpt2_name("norm.bias"), "ln_f.bias");
  for (const char* name : {"block_.attention.w_qkv", "block_x.attention.w_qkv"}) {
    EXPECT_THROW(nn::gpt2_name(name), std::invalid_argument) << name;
  }
  for (const char* name : {"head", "block_0.other", "block_0", ""}) {
    expect_error_contains<std::invalid_argument>([&] { nn::gpt2_name(name); }, "no parameter");
  }
}

TEST(Gpt2Files, WhatIsSavedIsReadBackBitForBit) {
  const TestFolder folder;
  Rng rng(1);
  nn::Gpt saved(gpt2_options(), rng);
  randomize(saved, rng);
  for (Variable parameter : saved.parameters()) {  // files hold float, also from the double build
    const std::vector<Scalar> values = parameter.value().to_vector();
    std::vector<Scalar> rounded;
    for (const Scalar value : values) {
      rounded.push_back(static_cast<Scalar>(static_cast<float>(value)));
    }
    parameter.set_value(Tensor(parameter.shape(), rounded));
  }
  nn::save_gpt2(folder.path(), saved);
  const nn::GptOptions options = nn::read_gpt2_config(folder.file("config.json"));
  EXPECT_EQ(options.norm_epsilon, Scalar(3e-5));
  EXPECT_EQ(options.head, nn::Head::kTied);
  EXPECT_EQ(options.block_size, 8);
  nn::Gpt loaded(options, rng);
  nn::load_gpt2_weights(folder.file("model.safetensors"), loaded);
  expect_equal_models(loaded, saved);
}

// A folder stands where one of the two belongs: the other is as it was, and nothing is left over.
TEST(Gpt2Files, WhereOneFileCannotBeMadeTheOtherStays) {
  Rng rng(1);
  const nn::Gpt model(gpt2_options(), rng);
  const std::pair<const char*, const char*> cases[] = {{"config.json", "model.safetensors"},
                                                       {"model.safetensors", "config.json"}};
  for (const auto& [blocked, other] : cases) {
    const TestFolder folder;
    std::filesystem::create_directory(folder.file(blocked));
    write_bytes(folder.file(other), "old");
    const auto save = [&] { nn::save_gpt2(folder.path(), model); };
    expect_error_contains<FileError>(save, blocked);
    EXPECT_EQ(read_bytes(folder.file(other)), "old");
    const auto count = std::distance(std::filesystem::directory_iterator(folder.path()),
                                     std::filesystem::directory_iterator());
    EXPECT_EQ(count, 2) << "something was left behind";
  }
}

TEST(Gpt2Files, ActivationsSurviveTheConfig) {
  for (const auto kind :
       {nn::Activation::kGeluTanh, nn::Activation::kGeluErf, nn::Activation::kRelu}) {
    const TestFolder folder;
    Rng rng(1);
    nn::GptOptions options = gpt2_options();
    options.activation = kind;
    nn::save_gpt2(folder.path(), nn::Gpt(options, rng));
    EXPECT_EQ(nn::read_gpt2_config(folder.file("config.json")).activation, kind);
  }
}

TEST(Gpt2Files, HalfNumbersPrefixesAndMaskBuffers) {
  const TestFolder folder;
  Rng rng(2);
  nn::Gpt expected(gpt2_options(), rng);
  use_short_numbers(expected, rng);
  for (const std::string dtype : {"F16", "BF16"}) {
    for (const std::string prefix : {"", "transformer."}) {
      std::vector<HalfTensor> tensors;
      for (const auto& [name, variable] : expected.named_parameters()) {
        tensors.push_back({prefix + nn::gpt2_name(name), variable.value()});
      }
      for (const std::string block : {"h.0", "h.1"}) {
        tensors.push_back({prefix + block + ".attn.bias", ones({1, 1, 8, 8})});
        tensors.push_back({prefix + block + ".attn.masked_bias", full({}, Scalar(0.5))});
      }
      tensors.push_back({"lm_head.weight", named(expected, "tokens.weight").value()});
      write_bytes(folder.file("half"), half_file(tensors, dtype));
      nn::Gpt loaded(gpt2_options(), rng);
      nn::load_gpt2_weights(folder.file("half"), loaded);
      expect_equal_models(loaded, expected);
    }
  }
}

TEST(Gpt2Files, BL51_AnotherModelsFileIsRefusedWhole) {
  const TestFolder folder;
  Rng rng(3);
  const nn::Gpt saved(gpt2_options(), rng);
  nn::save_gpt2(folder.path(), saved);
  nn::GptOptions other = gpt2_options();
  other.layer_count = 1;
  other.block_size = 5;
  const nn::Gpt smaller(other, rng);
  const std::vector<Scalar> before = all_values(smaller);
  nn::Gpt& model = const_cast<nn::Gpt&>(smaller);
  const auto load = [&] { nn::load_gpt2_weights(folder.file("model.safetensors"), model); };
  const std::string text = message_of<std::invalid_argument>(load);
  EXPECT_NE(text.find("wpe.weight: [8, 12] in the file, [5, 12]"), std::string::npos) << text;
  EXPECT_NE(text.find("extra: h.1.ln_1.weight [12]"), std::string::npos) << text;
  EXPECT_EQ(all_values(smaller), before);
}

TEST(Gpt2Files, ModelsThatAreNoGpt2AreRefused) {
  const TestFolder folder;
  Rng rng(4);
  std::vector<nn::GptOptions> all(5, gpt2_options());
  all[0].head = nn::Head::kUntied;
  all[1].norm = nn::NormKind::kRms;
  all[2].positions = nn::PositionKind::kRotary;
  all[3].norm_place = nn::NormPlace::kPost;
  all[4].activation = nn::Activation::kSilu;
  for (const nn::GptOptions& options : all) {
    nn::Gpt model(options, rng);
    const auto save = [&] { nn::save_gpt2(folder.path(), model); };
    expect_error_contains<std::invalid_argument>(save, "no GPT-2");
    const auto load = [&] { nn::load_gpt2_weights(folder.file("none"), model); };
    expect_error_contains<std::invalid_argument>(load, "no GPT-2");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const nn::Gpt model(gpt2_options(), rng);
  const auto nowhere = [&] { nn::save_gpt2(folder.file("no/such"), model); };
  expect_error_contains<FileError>(nowhere, "No such file");
}

class Gpt2Config : public testing::Test {
 protected:
  // A sound configuration with `more` in it; `without` is left out.
  nn::GptOptions read(const std::string& more = "", const std::string& without = "") {
    std::string text = "{";
    for (const char* field : {"\"vocab_size\": 11", "\"n_positions\": 8", "\"n_layer\": 2",
                              "\"n_head\": 3", "\"n_embd\": 12"}) {
      if (without.empty() || std::string(field).find(without) == std::string::npos) {
        text += std::string(field) + ", ";
      }
    }
    write_bytes(path(), text + more + (more.empty() ? "" : ", ") + "\"other\": null}");
    return nn::read_gpt2_config(path());
  }

  template <typename Exception>
  void expect_refused(const std::string& more, const std::string& without,
                      const std::string& part) {
    const std::string text = message_of<Exception>([&] { read(more, without); });
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(text.find(path()), std::string::npos) << text;
  }

  std::string path() const { return folder_.file("config.json"); }

  TestFolder folder_;
};

TEST_F(Gpt2Config, ReadsWhatIsThereAndDefaultsTheRest) {
  const nn::GptOptions options = read();
  EXPECT_EQ(options.vocab_size, 11);
  EXPECT_EQ(options.layer_count, 2);
  EXPECT_EQ(options.head_count, 3);
  EXPECT_EQ(options.channels, 12);
  EXPECT_EQ(options.activation, nn::Activation::kGeluTanh);
  EXPECT_EQ(options.norm_epsilon, Scalar(1e-5));
  EXPECT_EQ(read("\"n_ctx\": 7", "n_positions").block_size, 7);
  EXPECT_EQ(
      read("\"tie_word_embeddings\": true, \"n_inner\": 48, \"scale_attn_weights\": true").channels,
      12);
  EXPECT_EQ(read("\"n_inner\": null, \"model_type\": \"gpt2\"").channels, 12);
}

TEST_F(Gpt2Config, RefusesWhatAGptCannotBe) {
  using Refused = std::invalid_argument;
  expect_refused<Refused>("\"n_layer\": 0", "n_layer", "n_layer is 0");
  expect_refused<Refused>("\"vocab_size\": -5", "vocab_size", "vocab_size is -5");
  expect_refused<Refused>("\"activation_function\": \"swish\"", "", "'swish'");
  expect_refused<Refused>("\"tie_word_embeddings\": false", "", "tie_word_embeddings");
  expect_refused<Refused>("\"scale_attn_weights\": false", "", "scale_attn_weights");
  expect_refused<Refused>("\"scale_attn_by_inverse_layer_idx\": true", "",
                          "scale_attn_by_inverse_layer_idx");
  expect_refused<Refused>("\"add_cross_attention\": true", "", "add_cross_attention");
  expect_refused<Refused>("\"n_inner\": 17", "", "n_inner is 17");
  expect_refused<Refused>("\"model_type\": \"llama\"", "", "'llama'");
}

TEST_F(Gpt2Config, RefusesDamagedFiles) {
  expect_refused<FileError>("", "n_layer", "n_layer");
  expect_refused<FileError>("\"n_layer\": \"two\"", "n_layer", "number");
  expect_refused<FileError>("\"n_layer\": 2.5", "n_layer", "2.5");
  expect_refused<FileError>("\"layer_norm_epsilon\": \"small\"", "", "number");
  expect_refused<FileError>("\"broken", "", "");
  const auto missing = [&] { nn::read_gpt2_config(folder_.file("none.json")); };
  expect_error_contains<FileError>(missing, "No such file");
}

}  // namespace
}  // namespace vitro::test
