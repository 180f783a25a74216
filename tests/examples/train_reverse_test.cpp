// The claims of 03_train_reverse.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "tensor/files/json.h"
#include "tensor/files/safetensors.h"

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

constexpr const char* kName = "03_train_reverse";

class TrainReverse : public testing::Test {
 protected:
  ProgramRun run(const std::string& arguments) {
    return run_program(kName, arguments, folder_.path());
  }

  // The number after `label` in what was printed.
  static double number_after(const std::string& text, const std::string& label) {
    const std::size_t at = text.find(label);
    if (at == std::string::npos) ADD_FAILURE() << "no \"" << label << "\" in\n" << text;
    return at == std::string::npos ? -1 : std::stod(text.substr(at + label.size()));
  }

  TemporaryFolder folder_;
};

// The main claim: every one of ten seeds reverses 1,000 unseen sequences without a mistake after
// 100 steps, by looking at the right places.
TEST_F(TrainReverse, TenSeedsReverseEveryUnseenSequence) {
  for (int seed = 1; seed <= 10; ++seed) {
    const ProgramRun program = run("--seed " + std::to_string(seed));
    ASSERT_EQ(program.exit_code, 0) << program.error;
    EXPECT_NE(program.out.find("100 steps of 64 sequences"), std::string::npos);
    EXPECT_EQ(number_after(program.out, "exact match on 1000 unseen sequences: "), 1000)
        << "seed " << seed;
    EXPECT_GT(number_after(program.out, "anti-diagonal: "), 0.95) << "seed " << seed;
    EXPECT_NEAR(number_after(program.out, "loss: "), 2.3026, 0.3) << "seed " << seed;
  }
}

TEST_F(TrainReverse, WritesPicturesAndLogs) {
  const ProgramRun program = run(
      "--quick --max_iters 3 --out_dir a/b --log run.jsonl --csv a/b/run.csv --eval-interval 2");
  ASSERT_EQ(program.exit_code, 0) << program.error;
  for (const char* picture : {"a/b/reverse_loss.svg", "a/b/reverse_attention.svg"}) {
    EXPECT_TRUE(read_file(folder_.file(picture)).starts_with("<svg ")) << picture;
  }
  std::ifstream log(folder_.file("run.jsonl"));
  int step = 0;
  for (std::string line; std::getline(log, line);) {
    EXPECT_EQ(JsonValue::parse(line)["step"].integer(), ++step);
    EXPECT_GT(JsonValue::parse(line)["loss"].number(), 1);
  }
  EXPECT_EQ(step, 3);
  EXPECT_TRUE(read_file(folder_.file("a/b/run.csv")).starts_with("step,loss,seconds\n1,2."));
  // No terminal: a plain line for the first step, each second one and the last.
  EXPECT_EQ(program.error.find('\r'), std::string::npos);
  EXPECT_EQ(std::count(program.error.begin(), program.error.end(), '\n'), 3) << program.error;
}

TEST_F(TrainReverse, AnswersFromSavedWeightsAsBefore) {
  const ProgramRun trained = run("--quick --save model.safetensors --ask '3 1 4 1 5'");
  ASSERT_EQ(trained.exit_code, 0) << trained.error;
  EXPECT_NE(trained.out.find("answered: 5 1 4 1 3\n"), std::string::npos) << trained.out;
  const ProgramRun loaded = run("--quick --load model.safetensors --ask='3 1 4 1 5'");
  EXPECT_EQ(loaded.exit_code, 0) << loaded.error;
  EXPECT_EQ(loaded.error, "") << "nothing is trained";
  const std::size_t asked = trained.out.find("\nasked:");
  EXPECT_EQ(loaded.out.substr(loaded.out.find("\nasked:")), trained.out.substr(asked));

  // Every length up to the model's own, and symbols that the filling could be taken for.
  for (const char* question : {"7", "0 0 0 1", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6"}) {
    const ProgramRun asked_again =
        run("--quick --load model.safetensors --ask '" + std::string(question) + "'");
    std::string backwards(question);
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_NE(asked_again.out.find("answered: " + backwards + "\n"), std::string::npos)
        << asked_again.out;
  }
}

TEST_F(TrainReverse, SameSeedSameNumbersForAnyThreads) {
  const std::string options = "--quick --max_iters 12 --save ";
  ASSERT_EQ(run(options + "one --threads 1").exit_code, 0);
  for (const char* threads : {"2", "3", "7"}) {
    ASSERT_EQ(run(options + "more --threads " + threads).exit_code, 0);
    EXPECT_EQ(read_file(folder_.file("one")), read_file(folder_.file("more"))) << threads;
  }
  ASSERT_EQ(run(options + "other --seed 2").exit_code, 0);
  EXPECT_NE(read_file(folder_.file("one")), read_file(folder_.file("other")));
}

// One line on stderr, the right exit code, nothing on stdout, nothing written.
TEST_F(TrainReverse, RefusesBadFilesAndOptions) {
  std::ofstream(folder_.file("broken.safetensors")) << "no weights";

  const struct {
    const char* arguments;
    int exit_code;
    const char* says;
  } cases[] = {
      {"--steps=-1", 2, "--max_iters: '-1' is not from 0 to 1000000"},
      {"--learning_rate 1e999", 2, "--learning_rate: '1e999' is not from 0 to 10"},
      {"--lerning_rate 1", 2, "did you mean --learning_rate?"},
      {"--ask ''", 2, "--ask: the value is empty"},
      {"--ask '1 2 x'", 2, "--ask: 'x' is no symbol from 0 to 9"},
      {"--ask '1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7'", 2, "there are 17 symbols"},
      {"--load missing.safetensors", 1, "missing.safetensors"},
      {"--load broken.safetensors", 1, "broken.safetensors"},
      {"--load .", 1, "."},
      {"--save no/model.safetensors", 1, "there is no folder 'no'"},
      {"--save .", 1, "it is a folder"},
      {"--log no/run.jsonl", 1, "there is no folder 'no'"},
      {"--out_dir broken.safetensors", 1, "broken.safetensors"},
      {"--out_dir broken.safetensors/x", 1, "broken.safetensors"},
  };

  for (const auto& bad : cases) {
    const ProgramRun program = run(bad.arguments);
    EXPECT_EQ(program.exit_code, bad.exit_code) << bad.arguments;
    EXPECT_EQ(program.out, "") << bad.arguments;
    EXPECT_NE(program.error.find(bad.says), std::string::npos) << program.error;
    EXPECT_EQ(program.error.find('\n'), program.error.size() - 1) << program.error;
    EXPECT_EQ(folder_.entry_count(), 1) << bad.arguments << " wrote something";
  }
}

TEST_F(TrainReverse, WeightsOfAnotherSizeAreRefused) {
  ASSERT_EQ(run("--quick --max_iters 1 --n_embd 8 --save small.safetensors").exit_code, 0);
  const ProgramRun program = run("--quick --load small.safetensors --out_dir other");
  EXPECT_EQ(program.exit_code, 1);
  EXPECT_NE(program.error.find("[10, 8] in the file, [10, 32] in the model"), std::string::npos)
      << program.error;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "other"));
}

TEST_F(TrainReverse, WeightsThatAreNoNumbersAreRefused) {
  ASSERT_EQ(run("--quick --max_iters 1 --save good.safetensors").exit_code, 0);
  const SafetensorsFile file = SafetensorsFile::open(folder_.file("good.safetensors"));
  std::vector<NamedValues> tensors;
  for (const SafetensorsEntry& entry : file.entries()) {
    tensors.push_back({entry.name, file.tensor(entry.name)});
  }
  std::get<Tensor>(tensors.back().values).fill(std::numeric_limits<Scalar>::quiet_NaN());
  write_safetensors(folder_.file("bad.safetensors"), tensors);
  const ProgramRun program = run("--load bad.safetensors --ask '1 2'");
  EXPECT_EQ(program.exit_code, 1);
  EXPECT_NE(program.error.find("bad.safetensors: number 0 of " + tensors.back().name),
            std::string::npos)
      << program.error;
  EXPECT_NE(program.error.find("weights must be finite"), std::string::npos) << program.error;
  EXPECT_EQ(program.error.find('\n'), program.error.size() - 1) << program.error;
}

// Ctrl+C: the step is finished, a checkpoint is saved, and the way to go on is said.
TEST_F(TrainReverse, SignalsSaveAndTellHowToGoOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(folder_.path() / "run.jsonl");
    const ProgramRun program = interrupt_program(
        kName, {"--max_iters=1000000", "--save=model.safetensors", "--log=run.jsonl"},
        folder_.path(), "run.jsonl", signal);
    EXPECT_EQ(program.exit_code, 128 + signal) << program.error;
    const std::string checkpoint = "out/reverse_checkpoint.safetensors";
    EXPECT_NE(program.out.find("--resume " + checkpoint + "\n"), std::string::npos) << program.out;
    EXPECT_EQ(run("--resume " + checkpoint + " --max_iters 1").exit_code, 0);
    EXPECT_EQ(run("--quick --load " + checkpoint).exit_code, 0) << "its weights can be used";
    std::filesystem::remove_all(folder_.path() / "out");
  }
}

// With stdout or stderr closed, the log file must not get its number and what was meant for it.
TEST_F(TrainReverse, ClosedStreamsAreNoFiles) {
  const std::string command = "cd '" + folder_.path().string() + "' && '" VITRO_EXAMPLES_DIR "/" +
                              kName + "' --max_iters 3 --eval_interval 1 --log run.jsonl ";
  EXPECT_EQ(std::system((command + ">printed 2>&-").c_str()), 0);
  for (const char* streams : {">printed 2>&-", ">&- 2>error", "<&- >&- 2>&-"}) {
    EXPECT_NE(std::system((command + streams).c_str()), -1);
    const std::string log = read_file(folder_.path() / "run.jsonl");
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3) << log;
    EXPECT_EQ(std::count(log.begin(), log.end(), '{'), 3) << log;
  }
  const std::string error = read_file(folder_.path() / "error");
  EXPECT_NE(error.find("cannot write to the standard output"), std::string::npos) << error;
}

TEST_F(TrainReverse, TestsAnyNumberOfSequencesInParts) {
  const ProgramRun program = run("--max_iters 40 --test_count 300 --n_embd 16 --block_size 4");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  EXPECT_NE(program.out.find("exact match on 300 unseen sequences: "), std::string::npos);
}

}  // namespace
}  // namespace vitro::examples
