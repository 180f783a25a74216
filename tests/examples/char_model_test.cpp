// 04_char_model from outside: what it refuses, and how saved weights are used.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "tests/examples/run_program.h"
#include "tests/support/nobody.h"

namespace vitro::examples {
namespace {

class CharModelProgram : public testing::Test {
 protected:
  ProgramRun run(const std::string& arguments) const {
    return run_program("04_char_model", "--quick --color never --max_new_tokens 5 " + arguments,
                       folder_.path());
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  }

  TemporaryFolder folder_;
};

// One line on stderr, the right exit code, nothing written.
TEST_F(CharModelProgram, RefusesBadFilesAndOptions) {
  write("empty", "");
  write("short", "hello");
  write("text", std::string(100, 'a') + 'b');

  const struct {
    const char* arguments;
    int exit_code;
    const char* says;
  } cases[] = {
      {"--text missing", 1, "missing: cannot be opened: No such file or directory"},
      {"--text .", 1, "Is a directory"},
      {"--text /dev/zero", 1, "/dev/zero: cannot be opened"},
      {"--text empty", 1, "empty is empty"},
      {"--text short", 1, "with block_size 32 it needs at least 33"},
      {"--text text --save text", 1, "--text and --save name the same file 'text'"},
      {"--text text --log text", 1, "--text and --log name the same file 'text'"},
      {"--text text --ask x", 1, "'x' is not among the 2 characters"},
      {"--n_embd 6 --n_head 4", 1, "head_count must be one of 1, 2, 3, 6"},
      {"--load text", 1, "text"},
      {"--load text --n_embd 8", 2, "--n_embd: comes with the weights"},
      {"--load text --text text", 2, "--max_iters"},
      {"--load text --grad_accum 2", 2, "--grad_accum: saved weights train on only with"},
      {"--load text --patience 2", 2, "--patience: saved weights train on only with"},
      {"--text text --patience 2", 2, "--patience: there is no validation; give a longer --text"},
      {"--grad_accum 0", 2, "--grad_accum: '0' is not from 1"},
  };

  for (const auto& bad : cases) {
    const ProgramRun program = run(bad.arguments);
    EXPECT_EQ(program.exit_code, bad.exit_code) << bad.arguments;
    EXPECT_NE(program.error.find(bad.says), std::string::npos) << program.error;
    EXPECT_EQ(program.error.find('\n'), program.error.size() - 1) << program.error;
    EXPECT_EQ(folder_.entry_count(), 3) << bad.arguments << " wrote something";
  }
  EXPECT_EQ(read_file(folder_.path() / "text"), std::string(100, 'a') + "b");
}

// The measured loss beside what guessing costs, how many tensors decay, and what to expect of the
// text at such a loss.
TEST_F(CharModelProgram, BL85_TwoHundredStepsSayWhatTheirTextIsWorth) {
  const ProgramRun program = run("--max_iters 200");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  std::size_t at = 0;
  for (const char* part :
       {"what a guess costs: at random 4.111 (ln 61)", "loss: 4.", " at first, ",
        "; guessing, ln 61: 4.1109\n", "result: validation_loss = ",
        "\nwhat it writes (at a loss near 2.5 letters that look like words, near 1.5 mostly real "
        "words):\n----\n"}) {
    at = program.out.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " is missing, or out of order, in\n" << program.out;
  }
}

double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  double number = std::nan("");
  if (at != std::string::npos) {
    const char* const begin = text.data() + at + words.size();
    std::from_chars(begin, text.data() + text.size(), number);
  }
  return number;
}

TEST_F(CharModelProgram, BL40_TheFirstLossStandsBesideWhatIsExpected) {
  const std::string out = run("--max_iters 1").out;
  const double expected = number_after(out, "guessing, ln 61: ");
  EXPECT_NEAR(expected, std::log(61.0), 1e-4);
  EXPECT_NEAR(number_after(out, "loss: "), expected, 0.1);
}

TEST_F(CharModelProgram, BL48_PrintsHowManyTensorsDecay) {
  EXPECT_NE(run("--max_iters 1").out.find("\n11 of 29 tensors ("), std::string::npos);
}

// Counts of pairs are the best that a model can do which does not look back.
TEST_F(CharModelProgram, BL91_ASecondOfTrainingBeatsCountingPairs) {
  const std::string out = run("--max_iters 600 --learning_rate 0.01 --eval_interval 600").out;
  EXPECT_NEAR(number_after(out, "single characters "), 3.042, 1e-9);
  EXPECT_NEAR(number_after(out, "of pairs "), 2.296, 1e-9);
  EXPECT_NEAR(number_after(out, "of triples "), 1.69, 1e-9);
  EXPECT_LT(number_after(out, "result: validation_loss = "), number_after(out, "of pairs ") - 0.1);
}

TEST_F(CharModelProgram, BL64_WithoutAValidationPartItSaysSoAndTrains) {
  write("twenty", "abcdefghijklmnopqrst");
  const ProgramRun program = run("--text twenty --block_size 8 --max_iters 2");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  EXPECT_NE(program.out.find("18 to train on, 2 to validate"), std::string::npos) << program.out;
  EXPECT_NE(
      program.out.find("no validation: 2 characters hold no window of 9; the training goes on "
                       "without\n"),
      std::string::npos)
      << program.out;
  EXPECT_EQ(program.out.find("nan"), std::string::npos) << program.out;
  EXPECT_EQ(program.out.find("validation loss"), std::string::npos) << program.out;
}

TEST_F(CharModelProgram, BL62_ATextShorterThanTheBlockIsRefused) {
  write("hello", "hello");
  write("empty", "");
  const ProgramRun hello = run("--text hello --block_size 8");
  EXPECT_EQ(hello.exit_code, 1);
  EXPECT_NE(hello.error.find("4 tokens; with block_size 8 it needs at least 9"), std::string::npos)
      << hello.error;
  const ProgramRun empty = run("--text empty --block_size 8");
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_NE(empty.error.find("empty is empty"), std::string::npos) << empty.error;
}

// The file carries its characters: another text cannot be read as if they were the same.
TEST_F(CharModelProgram, BL58_AModelComesWithItsCharacters) {
  write("text", std::string(200, 'a') + "bcd");
  ASSERT_EQ(run("--text text --max_iters 1 --save model").exit_code, 0);
  EXPECT_EQ(run("--load model --ask ab").exit_code, 0);
  write("other", std::string(200, 'a') + "xyz");
  const ProgramRun program = run("--load model --text other --max_iters 1");
  EXPECT_EQ(program.exit_code, 1);
  EXPECT_NE(program.error.find("'x' is not among the 4 characters"), std::string::npos)
      << program.error;
}

TEST_F(CharModelProgram, BL57_FilesThatCannotBeUsedEndItWithTheirPathAndTheReason) {
  const struct {
    const char* arguments;
    const char* says;
  } cases[] = {
      {"--load nope.ckpt", "nope.ckpt: cannot be opened: No such file or directory"},
      {"--text nope.txt", "nope.txt: cannot be opened: No such file or directory"},
      {"--load .", ".: cannot be opened: Is a directory"},
      {"--text .", ".: cannot be opened: Is a directory"},
      {"--save missing/model", "'missing/model': there is no folder 'missing'"},
  };

  for (const auto& bad : cases) {
    const ProgramRun program = run(bad.arguments);
    EXPECT_EQ(program.exit_code, 1) << bad.arguments;
    EXPECT_NE(program.error.find(bad.says), std::string::npos) << program.error;
  }
}

TEST_F(CharModelProgram, BL57_AFileWithoutPermissionEndsItLikewise) {
  write("locked", "a text");
  const std::filesystem::path path = folder_.path() / "locked";
  std::filesystem::permissions(path, std::filesystem::perms::none);
  for (const char* option : {"--text ", "--load "}) {
    const std::optional<std::string> answer = test::as_nobody([&]() -> std::string {
      const ProgramRun program = run(option + path.string());
      return std::to_string(program.exit_code) + " " + program.error;
    });
    if (!answer || answer->starts_with("126")) {  // nobody may not even run the program
      GTEST_SKIP() << "another user may not run the programs here: unreadable files were NOT tried";
    }
    EXPECT_TRUE(answer->starts_with("1 04_char_model: ")) << *answer;
    EXPECT_NE(answer->find(path.string() + ": cannot be opened: Permission denied"),
              std::string::npos)
        << *answer;
  }
}

TEST_F(CharModelProgram, QuickLeavesWhatTheUserSaid) {
  const ProgramRun program = run("--max_iters 1 --n_embd 4 --block_size 7");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  EXPECT_NE(program.out.find("windows of 7 characters"), std::string::npos) << program.out;
}

TEST_F(CharModelProgram, SavedWeightsWriteOrTrainOn) {
  ASSERT_EQ(run("--max_iters 2 --save a.safetensors").exit_code, 0);
  const ProgramRun writes = run("--load a.safetensors --save copy.safetensors");
  EXPECT_EQ(writes.exit_code, 0) << writes.error;
  EXPECT_EQ(writes.error, "") << "it trained";
  const std::string before = read_file(folder_.path() / "a.safetensors");
  EXPECT_EQ(read_file(folder_.path() / "copy.safetensors"), before);
  const ProgramRun trains = run("--load a.safetensors --max_iters 2 --save b.safetensors");
  EXPECT_EQ(trains.exit_code, 0) << trains.error;
  EXPECT_NE(trains.error.find("step 2/2"), std::string::npos) << trains.error;
  EXPECT_NE(read_file(folder_.path() / "b.safetensors"), before);
}

}  // namespace
}  // namespace vitro::examples
