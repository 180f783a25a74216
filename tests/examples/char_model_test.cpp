// 04_char_model from outside: what it refuses, and how saved weights are used.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "tests/examples/run_program.h"

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
