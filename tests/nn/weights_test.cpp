#include "nn/weights.h"

#include <limits>
#include <optional>
#include <sys/stat.h>

#include "tensor/files/file_error.h"

#include "nn/layers/linear.h"

#include "tests/nn/nn_support.h"
#include "tests/support/nobody.h"

namespace vitro::test {
namespace {

class Pair : public nn::Module {
 public:
  Pair(const Shape& first, const Shape& second) {
    Rng rng(1);
    add_parameter("first", random_tensor(first, rng));
    add_parameter("second", random_tensor(second, rng));
  }
};

nn::GptOptions tied_gpt() {
  nn::GptOptions options = small_gpt();
  options.head = nn::Head::kTied;
  return options;
}

TEST(Weights, RoundTripBitForBit) {
  const TestFolder folder;
  Rng rng(1);
  nn::Gpt saved(small_gpt(), rng);
  randomize(saved, rng);
  set_named(
      saved, "norm.bias",
      Tensor({12}, {Scalar(-0.0), std::numeric_limits<Scalar>::denorm_min(),
                    std::numeric_limits<Scalar>::max(), Scalar(0.1), 1, 2, 3, 4, 5, 6, 7, 8}));
  nn::save_weights(folder.file("model.safetensors"), saved, {{"note", "a"}});
  nn::Gpt loaded(small_gpt(), rng);
  nn::load_weights(folder.file("model.safetensors"), loaded);
  for (const nn::NamedParameter& parameter : saved.named_parameters()) {
    expect_same_bits(named(loaded, parameter.name).value(), parameter.variable.value());
  }
  const Indices tokens = random_tokens({2, 8}, 11, rng);
  set_named(saved, "norm.bias", zeros({12}));
  set_named(loaded, "norm.bias", zeros({12}));
  expect_same_bits(loaded(tokens).value(), saved(tokens).value());
}

TEST(Weights, BL49_ATiedTableIsSavedOnceAndStaysTied) {
  const TestFolder folder;
  Rng rng(2);
  nn::Gpt saved(tied_gpt(), rng);
  nn::save_weights(folder.file("w"), saved);
  const SafetensorsFile file = SafetensorsFile::open(folder.file("w"));
  EXPECT_EQ(file.entries().size(), saved.named_parameters().size());
  EXPECT_FALSE(file.contains("head"));
  nn::Gpt loaded(tied_gpt(), rng);
  nn::load_weights(folder.file("w"), loaded);
  const Indices tokens = random_tokens({2, 8}, 11, rng);
  expect_same_bits(loaded(tokens).value(), saved(tokens).value());
  set_named(loaded, "tokens.weight", zeros({11, 12}));
  for (const Scalar logit : loaded(tokens).value().to_vector()) EXPECT_EQ(logit, 0);
}

TEST(Weights, LoadingLeavesOtherHoldersOfTheNumbersAlone) {
  const TestFolder folder;
  const Pair saved({2, 3}, {5});
  nn::save_weights(folder.file("w"), saved);
  const Pair module({2, 3}, {5});
  set_named(module, "first", zeros({2, 3}));
  const Tensor before = named(module, "first").value();
  nn::load_weights(folder.file("w"), module);
  expect_equal(before, {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_same_bits(named(module, "first").value(), named(saved, "first").value());
}

TEST(Weights, BL51_AllDifferencesAreListedAndNothingIsLoaded) {
  const TestFolder folder;
  write_safetensors(folder.file("w"), {{"first", ones({2, 3})}, {"third", ones({7})}});
  const Pair module({3, 2}, {5});
  const std::vector<Scalar> before = all_values(module);
  const auto load = [&] { nn::load_weights(folder.file("w"), module); };
  const std::string text = message_of<std::invalid_argument>(load);
  for (const char* part : {"first: [2, 3] in the file, [3, 2] in the model", "missing: second [5]",
                           "extra: third [7]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(all_values(module), before);
}

TEST(Weights, BL51_WholeNumbersInPlaceOfWeightsLoadNothing) {
  const TestFolder folder;
  write_safetensors(folder.file("w"),
                    {{"first", ones({2, 3})}, {"second", Indices({5}, {1, 2, 3, 4, 5})}});
  const Pair module({2, 3}, {5});
  const std::vector<Scalar> before = all_values(module);
  const auto load = [&] { nn::load_weights(folder.file("w"), module); };
  const std::string text = message_of<std::invalid_argument>(load);
  EXPECT_NE(text.find("second"), std::string::npos) << text;
  EXPECT_NE(text.find("I64"), std::string::npos) << text;
  EXPECT_EQ(all_values(module), before);
}

TEST(Weights, BL52_AFileCutAnywhereIsRefusedAndNothingIsLoaded) {
  const TestFolder folder;
  const Pair saved({2, 3}, {5});
  nn::save_weights(folder.file("whole"), saved);
  const std::string bytes = read_bytes(folder.file("whole"));
  const Pair module({2, 3}, {5});
  set_named(module, "first", full({2, 3}, 7));
  const std::vector<Scalar> before = all_values(module);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(folder.file("cut"), bytes.substr(0, length));
    const auto load = [&] { nn::load_weights(folder.file("cut"), module); };
    expect_error_contains<FileError>(load, folder.file("cut"));
    ASSERT_EQ(all_values(module), before) << length;
  }
  nn::load_weights(folder.file("whole"), module);
  EXPECT_EQ(all_values(module), all_values(saved));
}

TEST(Weights, NumbersThatAreNoneAreRefusedAndNothingIsLoaded) {
  const TestFolder folder;
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  for (const Scalar bad : {std::numeric_limits<Scalar>::quiet_NaN(), infinity, -infinity}) {
    Tensor second = ones({5});
    second.set({3}, bad);
    write_safetensors(folder.file("w"), {{"first", ones({2, 3})}, {"second", second}});
    const Pair module({2, 3}, {5});
    const std::vector<Scalar> before = all_values(module);
    const auto load = [&] { nn::load_weights(folder.file("w"), module); };
    expect_error_contains<std::invalid_argument>(
        load, "number 3 of second [5] is NaN or infinite; weights must be finite");
    EXPECT_EQ(all_values(module), before);
  }
}

TEST(Weights, BL57_FilesThatCannotBeOpenedAreNamedWithTheSystemsReason) {
  const TestFolder folder;
  const Pair module({2, 3}, {5});
  const std::string missing = folder.file("nope.safetensors");
  const std::string text = message_of<FileError>([&] { nn::load_weights(missing, module); });
  EXPECT_NE(text.find(missing), std::string::npos) << text;
  EXPECT_NE(text.find("No such file"), std::string::npos) << text;
  const auto load_folder = [&] { nn::load_weights(folder.path(), module); };
  expect_error_contains<FileError>(load_folder, folder.path());
  const auto save = [&] { nn::save_weights(folder.file("no/such/w"), module); };
  expect_error_contains<FileError>(save, "No such file");
}

std::string load_error(const std::string& path, const Pair& module) {
  try {
    nn::load_weights(path, module);
  } catch (const FileError& error) {
    return error.what();
  }
  return "loaded";
}

TEST(Weights, BL57_AFileWithoutPermissionIsRefused) {
  const TestFolder folder;
  const Pair module({2, 3}, {5});
  const std::string path = folder.file("locked");
  nn::save_weights(path, module);
  chmod(path.c_str(), 0);
  const std::optional<std::string> error = as_nobody([&] { return load_error(path, module); });
  if (!error) GTEST_SKIP() << "root cannot act as another user here: NOT tried";
  EXPECT_NE(error->find(path + ": cannot be opened: Permission denied"), std::string::npos)
      << *error;
}

}  // namespace
}  // namespace vitro::test
