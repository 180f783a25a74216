// gpt2 from outside, with a model of no sense: random weights, a vocabulary of some 300 tokens.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tensor/create.h"

#include "nn/models/generate.h"
#include "nn/models/gpt2_files.h"
#include "nn/text/bpe_tokenizer.h"

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

constexpr const char* kPrompt = "the glass saw the mirror";

nn::BpeTokenizer small_tokenizer() {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "the glass saw the mirror, and the mirror saw the sea\n";
  return nn::BpeTokenizer::train(text, {.vocab_size = 300});
}

nn::GptOptions small_options(Index vocab_size) {
  nn::GptOptions options;
  options.vocab_size = vocab_size;
  options.block_size = 16;
  options.layer_count = 2;
  options.head_count = 3;
  options.channels = 12;
  options.head = nn::Head::kTied;
  return options;
}

class Gpt2Program : public testing::Test {
 protected:
  Gpt2Program() {
    std::filesystem::create_directory(folder_.file("m"));
    tokenizer_.save(folder_.file("m/vocab.json"), folder_.file("m/merges.txt"));
    for (Variable parameter : model_.parameters()) {  // large weights: other tokens every time
      parameter.set_value(uniform(parameter.shape(), -1, 1, rng_));
    }
    nn::save_gpt2(folder_.file("m"), model_);
  }

  ProgramRun run(const std::string& arguments) const {
    return run_program("gpt2", arguments, folder_.path());
  }

  ProgramRun prompted(const std::string& arguments) const {
    return run("--model m --prompt '" + std::string(kPrompt) + "' " + arguments);
  }

  TemporaryFolder folder_;
  Rng rng_{7};
  const nn::BpeTokenizer tokenizer_ = small_tokenizer();
  nn::Gpt model_{small_options(tokenizer_.vocab_size()), rng_};
};

TEST_F(Gpt2Program, WritesOnFromThePromptAndTellsItsSpeed) {
  const ProgramRun program = prompted("--max_new_tokens 40 --seed 3");
  ASSERT_EQ(program.exit_code, 0) << program.error;
  Rng rng(3);
  std::vector<Index> tokens =
      nn::generate(model_, tokenizer_.encode(kPrompt), 40,
                   {.temperature = Scalar(0.8), .top_k = 200}, rng, nn::Cache::kNo);
  const auto end = std::find(tokens.begin(), tokens.end(), tokenizer_.end_of_text().value_or(-1));
  tokens.erase(end, tokens.end());
  EXPECT_EQ(program.out, tokenizer_.decode(tokens) + "\n");
  EXPECT_EQ(std::count(program.error.begin(), program.error.end(), '\n'), 2) << program.error;
  EXPECT_NE(program.error.find("parameters in "), std::string::npos) << program.error;
  EXPECT_NE(program.error.find(" tokens/s\n"), std::string::npos) << program.error;
}

TEST_F(Gpt2Program, OptionsDecideWhatIsDrawn) {
  const std::string greedy = prompted("--temperature 0").out;
  EXPECT_EQ(prompted("--temperature 0 --seed 9 --threads 2").out, greedy);
  EXPECT_EQ(prompted("--top_k 1").out, greedy);
  EXPECT_EQ(prompted("--top_p 1e-6").out, greedy);
  const std::string drawn = prompted("--seed 1 --temperature 2").out;
  EXPECT_EQ(prompted("--seed 1 --temperature 2").out, drawn);
  EXPECT_NE(prompted("--seed 2 --temperature 2").out, drawn);
  EXPECT_EQ(prompted("--max_new_tokens 0").out, std::string(kPrompt) + "\n");
}

TEST_F(Gpt2Program, TakesTheOldNamesOfTheVocabulary) {
  const std::string expected = prompted("").out;
  std::filesystem::rename(folder_.file("m/vocab.json"), folder_.file("m/encoder.json"));
  std::filesystem::rename(folder_.file("m/merges.txt"), folder_.file("m/vocab.bpe"));
  EXPECT_EQ(prompted("").out, expected);
}

// One line on stderr, the right exit code, nothing on stdout.
TEST_F(Gpt2Program, RefusesMissingAndDamagedFolders) {
  const auto expect_refused = [&](const std::string& arguments, int exit_code,
                                  const std::string& says) {
    const ProgramRun program = run(arguments);
    EXPECT_EQ(program.exit_code, exit_code) << arguments;
    EXPECT_EQ(program.out, "") << arguments;
    EXPECT_NE(program.error.find(says), std::string::npos) << program.error;
    EXPECT_EQ(program.error.find('\n'), program.error.size() - 1) << program.error;
  };
  expect_refused("", 2, "--model: say which folder");
  expect_refused("--model none", 1, "none/vocab.json: cannot be opened: No such file");
  expect_refused("--model m/vocab.json", 1, "Not a directory");
  expect_refused("--model m --top_p 0", 2, "--top_p");
  const std::string config = read_file(folder_.file("m/config.json"));
  const std::string weights = read_file(folder_.file("m/model.safetensors"));
  const auto with = [&](const char* name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  };
  with("m/model.safetensors", weights.substr(0, weights.size() - 1));
  expect_refused("--model m", 1, "model.safetensors (byte ");
  with("m/model.safetensors", weights);
  with("m/config.json", config.substr(0, 30));
  expect_refused("--model m", 1, "config.json (byte ");
  with("m/config.json", config);
  with("m/merges.txt", "");
  expect_refused("--model m", 1, "no merge makes the token");
}

// A tokenizer of 32,000 tokens beside a model of 32,016, in small: an error either way.
TEST_F(Gpt2Program, BL58_AVocabularyOfAnotherSizeIsRefusedWithBothNumbers) {
  for (const Index more : {-1, 16}) {
    const nn::Gpt other(small_options(tokenizer_.vocab_size() + more), rng_);
    nn::save_gpt2(folder_.file("m"), other);
    const ProgramRun program = prompted("");
    EXPECT_EQ(program.exit_code, 1);
    EXPECT_EQ(program.out, "");
    EXPECT_EQ(program.error, "gpt2: m: the vocabulary has " +
                                 std::to_string(tokenizer_.vocab_size()) + " tokens, the model " +
                                 std::to_string(tokenizer_.vocab_size() + more) +
                                 "; the files must belong together\n");
  }
}

TEST_F(Gpt2Program, BL66_TemperaturesAreChecked) {
  const std::string greedy = prompted("--temperature 0").out;
  EXPECT_EQ(prompted("--temperature 1e-8 --seed 5").out, greedy);
  for (const char* wrong : {"-1", "nan"}) {
    const ProgramRun program = prompted(std::string("--temperature=") + wrong);
    EXPECT_EQ(program.exit_code, 2) << wrong;
    EXPECT_NE(program.error.find("--temperature: '"), std::string::npos) << program.error;
  }
}

TEST_F(Gpt2Program, BL67_TopKIsChecked) {
  const std::string all = prompted("--temperature 2 --top_k 0").out;
  for (const Index k : {tokenizer_.vocab_size(), 2 * tokenizer_.vocab_size()}) {
    EXPECT_EQ(prompted("--temperature 2 --top_k " + std::to_string(k)).out, all);
  }
  EXPECT_EQ(prompted("--temperature 2 --top_k 1").out, prompted("--temperature 0").out);
  const ProgramRun wrong = prompted("--top_k=-1");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.error.find("--top_k: '-1' is not from 0 to "), std::string::npos) << wrong.error;
}

// The page shows how the prompt is read; what is written stays the same.
TEST_F(Gpt2Program, RecordsHowThePromptIsRead) {
  const ProgramRun without = prompted("--max_new_tokens 5");
  const ProgramRun with = prompted("--max_new_tokens 5 --trace run.html");
  EXPECT_EQ(with.exit_code, 0) << with.error;
  EXPECT_EQ(with.out.substr(0, without.out.size()), without.out);
  const std::string page = read_file(folder_.path() / "run.html");
  EXPECT_NE(page.find("block_1.attention"), std::string::npos);
  EXPECT_NE(page.find("\"token"), std::string::npos);
}

}  // namespace
}  // namespace vitro::examples
