// A whole GPT-2 from its folder: straight into the model, refused whole where something is wrong.
#include "tensor/files/file_error.h"

#include "nn/init.h"
#include "nn/layers/self_attention.h"
#include "nn/models/gpt2_files.h"

#include "tests/nn/nn_support.h"
#include "tests/support/mutate.h"

namespace vitro::test {
namespace {

nn::GptOptions tied_options() {
  nn::GptOptions options = small_gpt();
  options.head = nn::Head::kTied;
  return options;
}

bool is_all_zero(const Tensor& x) {
  const std::vector<Scalar> values = x.to_vector();
  return std::all_of(values.begin(), values.end(), [](Scalar value) { return value == 0; });
}

TEST(NoInitialDraws, MatricesStartAsZerosWhileOneLives) {
  Rng rng(1);
  {
    const nn::NoInitialDraws no_draws;
    { const nn::NoInitialDraws inner; }
    EXPECT_FALSE(nn::draws_initial_weights());
    const nn::Gpt model(tied_options(), rng);
    for (const auto& [name, variable] : model.named_parameters()) {
      const bool is_gain = name.find("norm") != std::string::npos && name.ends_with("weight");
      EXPECT_EQ(is_all_zero(variable.value()), !is_gain) << name;
    }
    EXPECT_TRUE(is_all_zero(named(nn::SelfAttention(4, 3, 3, rng), "w_q").value()));
  }
  EXPECT_TRUE(nn::draws_initial_weights());
  const nn::Gpt model(tied_options(), rng);
  EXPECT_FALSE(is_all_zero(named(model, "tokens.weight").value()));
}

class LoadGpt2 : public testing::Test {
 protected:
  LoadGpt2() : saved_(tied_options(), rng_) {
    randomize(saved_, rng_);
    nn::save_gpt2(folder_.path(), saved_);
  }

  std::string config_path() const { return folder_.file("config.json"); }

  Rng rng_{1};
  nn::Gpt saved_;
  TestFolder folder_;
};

TEST_F(LoadGpt2, GivesTheSameModelWithItsHeadTied) {
  const std::unique_ptr<nn::Gpt> loaded = nn::load_gpt2(folder_.path());
  nn::Gpt filled(tied_options(), rng_);
  nn::load_gpt2_weights(folder_.file("model.safetensors"), filled);
  EXPECT_EQ(all_values(*loaded), all_values(filled));
  EXPECT_TRUE(nn::draws_initial_weights());
  const Indices tokens = random_tokens({2, 8}, 11, rng_);
  expect_same_bits((*loaded)(tokens).value(), filled(tokens).value());
  set_named(*loaded, "tokens.weight", zeros({11, 12}));
  EXPECT_TRUE(is_all_zero((*loaded)(tokens).value()));
}

// No tensor but the parameters is ever asked for: none lies freed in the end.
TEST_F(LoadGpt2, TakesNoMemoryBesideTheWeights) {
  release_kept_memory();
  const MemoryCounts before = memory_counts();
  const std::unique_ptr<nn::Gpt> loaded = nn::load_gpt2(folder_.path());
  const MemoryCounts after = memory_counts();
  EXPECT_EQ(after.bytes_kept, before.bytes_kept);
  EXPECT_EQ(after.system_requests - before.system_requests,
            static_cast<Index>(loaded->parameters().size()));
}

TEST_F(LoadGpt2, AConfigThatPromisesMoreThanTheFileHoldsTakesNoMemory) {
  nn::GptOptions huge = tied_options();
  const auto write_config = [&](const nn::GptOptions& options) {
    write_bytes(config_path(), join_text({"{\"vocab_size\": ", options.vocab_size,
                                          ", \"n_positions\": ", options.block_size,
                                          ", \"n_layer\": ", options.layer_count,
                                          ", \"n_head\": 1, \"n_embd\": ", options.channels, "}"}));
  };
  const Index large = Index{1} << 40;
  for (Index* size : {&huge.vocab_size, &huge.block_size, &huge.layer_count, &huge.channels}) {
    huge = tied_options();
    *size = large;
    write_config(huge);
    const Index requests = memory_counts().system_requests;
    const auto load = [&] { nn::load_gpt2(folder_.path()); };
    expect_error_contains<std::invalid_argument>(load, "they must belong together");
    EXPECT_EQ(memory_counts().system_requests, requests);
  }
}

TEST_F(LoadGpt2, SaysWhatIsMissing) {
  const auto load = [&] { nn::load_gpt2(folder_.path()); };
  std::filesystem::remove(folder_.file("model.safetensors"));
  expect_error_contains<FileError>(load, "model.safetensors: cannot be opened: No such file");
  std::filesystem::remove(config_path());
  expect_error_contains<FileError>(load, "config.json: cannot be opened: No such file");
}

// Whether config.json, as this text, is refused with an exception meant for it.
bool is_refused(const std::string& folder, const std::string& config) {
  write_bytes(folder + "/config.json", config);
  try {
    nn::load_gpt2(folder);
    return false;
  } catch (const FileError&) {
  } catch (const std::invalid_argument&) {
  }
  return true;
}

TEST_F(LoadGpt2, AConfigCutAnywhereIsRefused) {
  std::string config = read_bytes(config_path());
  config.erase(config.find_last_not_of('\n') + 1);
  for (std::size_t length = 0; length < config.size(); ++length) {
    EXPECT_TRUE(is_refused(folder_.path(), config.substr(0, length))) << length;
  }
  EXPECT_FALSE(is_refused(folder_.path(), config));
}

TEST_F(LoadGpt2, TenThousandMutationsOfAConfigAreRefusedOrLoad) {
  const std::string config = read_bytes(config_path());
  Rng rng(2025);
  Index refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string mutation = testing_support::mutate(config, rng);
    if (is_refused(folder_.path(), mutation)) ++refused;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 10'000);
}

}  // namespace
}  // namespace vitro::test
