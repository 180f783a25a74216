// The model in examples/data/: that it loads, has learned its text, and writes words.
#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/text/token_windows.h"

#include "examples/common/char_model_file.h"

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

const std::string kModel = VITRO_SOURCE_DIR "/examples/data/seeing_glass_model.safetensors";
const std::string kText = VITRO_SOURCE_DIR "/examples/data/seeing_glass.txt";

TEST(ShippedModel, BL91_IsSmallAndBeatsCountingTriples) {
  EXPECT_LT(std::filesystem::file_size(kModel), 1'000'000U);
  const CharModel loaded = load_char_model(kModel);
  const auto [train, rest] = nn::split_tokens(loaded.tokenizer.encode(read_file(kText)), 0.9);
  const Index size = loaded.model->options().block_size;
  const nn::TokenWindows windows(rest, size, "the validation part");
  const NoGrad no_grad;
  loaded.model->eval();
  double sum = 0;
  constexpr Index kCount = 32;
  for (Index i = 0; i < kCount; ++i) {
    const nn::Batch batch = windows.at({i * windows.count() / kCount});
    sum += static_cast<double>(cross_entropy((*loaded.model)(batch.inputs), batch.targets).item());
  }
  EXPECT_LT(sum / kCount, nn::counting_loss(train, rest, loaded.tokenizer.vocab_size(), 2));
}

// The words of a text: letters only.
std::vector<std::string> words_of(std::string text) {
  for (char& letter : text) {
    if (std::isalpha(static_cast<unsigned char>(letter)) == 0) letter = ' ';
  }
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(ShippedModel, WritesWordsFromAQuestion) {
  const TemporaryFolder folder;
  const ProgramRun program =
      run_program("04_char_model", "--load '" + kModel + "' --ask 'The glass'", folder.path());
  ASSERT_EQ(program.exit_code, 0) << program.error;
  EXPECT_EQ(program.error, "");
  const std::size_t begin = program.out.find("----\nThe glass");
  ASSERT_NE(begin, std::string::npos) << program.out;
  const std::vector<std::string> known = words_of(read_file(kText));
  const std::set<std::string> dictionary(known.begin(), known.end());
  const std::vector<std::string> written = words_of(program.out.substr(begin));
  EXPECT_GT(written.size(), 50U) << program.out;
  std::size_t real = 0;
  for (const std::string& word : written) real += dictionary.count(word);
  EXPECT_GT(static_cast<double>(real) / static_cast<double>(written.size()), 0.7) << program.out;
}

}  // namespace
}  // namespace vitro::examples
