// Programs where the system gives them little: a small stack, one processor or many threads, a
// reader that goes away, folders that may not be read or written.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/wait.h>

#include "tests/examples/run_program.h"
#include "tests/support/nobody.h"

namespace vitro::examples {
namespace {

class HardPlaces : public testing::Test {
 protected:
  // Runs a line of shell in the folder; `$p` is where the programs are.
  int shell(const std::string& line) const {
    const std::string command =
        "p='" VITRO_EXAMPLES_DIR "'; cd '" + folder_.path().string() + "' && { " + line + "; }";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string file(const std::string& name) const { return read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

constexpr const char* kEachTrains[] = {
    "03_train_reverse --max_iters 5",
    "04_char_model --quick --max_iters 5 --max_new_tokens 5",
    "08_two_relations --quick --max_iters 5",
    "09_sequence_tasks --quick --max_iters 5",
    "10_names --quick --max_iters 5 --name_count 1",
    "11_translate --quick --max_iters 3 --test_count 3",
};

// 256 KiB, for the first thread and for the workers, which take the same limit.
TEST_F(HardPlaces, AStackOf256KiBIsEnough) {
  for (const std::string program : kEachTrains) {
    EXPECT_EQ(shell("$p/" + program + " --save wide >printed 2>error"), 0) << file("error");
    EXPECT_EQ(shell("ulimit -s 256; $p/" + program + " --threads 3 --save narrow >printed 2>error"),
              0)
        << program << '\n'
        << file("error");
    EXPECT_EQ(file("wide"), file("narrow")) << program;
  }
  for (const std::string program : {"01_attention_by_hand", "02_gradients", "06_why_scale --quick",
                                    "07_long_range --quick", "12_new_operation --quick"}) {
    EXPECT_EQ(shell("ulimit -s 256; $p/" + program + " >printed 2>error"), 0) << program;
  }
}

TEST_F(HardPlaces, OneThreadAndSixtyFourGiveTheSameBytes) {
  for (const std::string program : kEachTrains) {
    for (const std::string threads : {"1", "64"}) {
      EXPECT_EQ(shell("VITRO_NUM_THREADS=" + threads + " $p/" + program + " --save with_" +
                      threads + " >printed 2>error"),
                0)
          << program << '\n'
          << file("error");
    }
    EXPECT_EQ(file("with_1"), file("with_64")) << program;
    EXPECT_NE(file("with_1"), "") << program;
  }
}

// A reader that takes one line and goes, as `head -1` does. Training is not lost by that.
TEST_F(HardPlaces, AReaderThatGoesAwayLosesNoWeights) {
  const std::string train = "$p/03_train_reverse --max_iters 30 --save ";
  ASSERT_EQ(shell(train + "alone >printed 2>error"), 0) << file("error");
  // Most shells leave the signal to the program, which ends quietly by it.
  shell(train + "ends 2>error | head -1 >line");
  EXPECT_EQ(file("ends"), file("alone"));
  EXPECT_EQ(file("error").find("03_train_reverse:"), std::string::npos) << file("error");
  // Where the signal is ignored, the program has to say what it could not do.
  shell("trap '' PIPE; { " + train + "stays 2>error; echo $? >code; } | head -1 >line");
  EXPECT_EQ(file("stays"), file("alone"));
  EXPECT_EQ(file("code"), "1\n");
  EXPECT_NE(file("error").find("03_train_reverse: cannot write to the standard output\n"),
            std::string::npos)
      << file("error");
}

// What a child without root's rights says about a folder that it may not enter.
class Forbidden : public HardPlaces {
 protected:
  // The exit code of the program, run by a user who owns nothing here; its stderr in "error".
  int as_nobody(const std::string& arguments) const {
    const std::optional<std::string> code = test::as_nobody([&] {
      return std::to_string(
          shell("$p/03_train_reverse " + arguments + " >open/printed 2>open/error"));
    });
    return code ? std::stoi(*code) : -1;
  }

  void SetUp() override {
    ASSERT_EQ(shell("mkdir open closed && chmod 755 . && chmod 777 open && chmod 000 closed"), 0);
    if (as_nobody("--help") != 0) {
      GTEST_SKIP() << "another user may not run the programs in " VITRO_EXAMPLES_DIR
                      ": forbidden folders were NOT tried";
    }
  }

  void TearDown() override { shell("chmod 755 closed"); }
};

TEST_F(Forbidden, FoldersAreNamedWithTheSystemsReason) {
  const struct {
    const char* arguments;
    const char* says;
  } cases[] = {
      {"--load closed/weights --ask '1 2'", "closed/weights"},
      {"--resume closed/run.safetensors", "closed/run.safetensors"},
      {"--save closed/weights --max_iters 2 --out_dir open", "closed/weights"},
      {"--max_iters 2 --out_dir closed/pictures", "closed/pictures"},
      {"--max_iters 2 --out_dir open --log closed/run.jsonl", "closed/run.jsonl"},
      {"--max_iters 2 --out_dir open --trace closed/run.html", "closed/run.html"},
  };

  for (const auto& bad : cases) {
    EXPECT_EQ(as_nobody(bad.arguments), 1) << bad.arguments;
    const std::string error = file("open/error");
    EXPECT_NE(error.find(bad.says), std::string::npos) << error;
    EXPECT_NE(error.find("Permission denied"), std::string::npos) << error;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    EXPECT_EQ(file("open/printed"), "") << "nothing is done before";
    EXPECT_EQ(std::filesystem::is_empty(folder_.path() / "closed"), true) << bad.arguments;
  }
}

}  // namespace
}  // namespace vitro::examples
