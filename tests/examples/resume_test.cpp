// Stopped programs go on as if nothing had happened: after Ctrl+C, and after a kill at any moment.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tensor/random.h"

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

const std::string kCheckpoint = "out/reverse_checkpoint.safetensors";
const std::string kSmall =
    "--block_size 6 --n_embd 16 --test_count 10 --threads 1 --max_iters 150 ";

class Resume : public testing::Test {
 protected:
  ProgramRun run(const std::string& name, const std::string& arguments) const {
    return run_program(name, arguments, folder_.path());
  }

  // The bytes of the weights that a run without a stop ends with.
  std::string undisturbed(const std::string& name, const std::string& arguments) const {
    EXPECT_EQ(run(name, arguments + " --save whole --out_dir other").exit_code, 0);
    return read_file(folder_.path() / "whole");
  }

  TemporaryFolder folder_;
};

// Starts 03 in `folder` and kills it after that time. True where it was still running.
bool run_and_kill(const std::filesystem::path& folder, std::chrono::microseconds delay) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string command = "exec '" VITRO_EXAMPLES_DIR "/03_train_reverse' " + kSmall +
                                "--checkpoint_interval 1 --save killed >killed.out 2>&1";
    if (chdir(folder.c_str()) == 0) execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

// A checkpoint each step, so that most kills fall into the writing of one.
TEST_F(Resume, KilledAtTwentyRandomMomentsEndsWithTheSameBytes) {
  const auto start = std::chrono::steady_clock::now();
  const std::string expected = undisturbed("03_train_reverse", kSmall + "--checkpoint_interval 1");
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  Rng rng(1);
  int killed = 0;
  int resumed = 0;
  for (int moment = 0; moment < 20; ++moment) {
    const std::chrono::microseconds delay(rng.below(whole.count()));
    killed += run_and_kill(folder_.path(), delay) ? 1 : 0;
    const bool has_checkpoint = std::filesystem::exists(folder_.path() / kCheckpoint);
    resumed += has_checkpoint ? 1 : 0;
    // Killed before the first step there is nothing to resume: the same run begins anew.
    const ProgramRun again = has_checkpoint ? run("03_train_reverse", "--resume " + kCheckpoint)
                                            : run("03_train_reverse", kSmall + "--save killed");
    ASSERT_EQ(again.exit_code, 0) << again.error;
    EXPECT_EQ(read_file(folder_.path() / "killed"), expected) << "after " << delay.count() << " µs";
    for (const char* name : {"out", "killed"}) std::filesystem::remove_all(folder_.path() / name);
  }
  EXPECT_GT(killed, 5);
  EXPECT_GT(resumed, 3);
}

// The command that is printed, typed as it stands.
TEST_F(Resume, ThePrintedCommandGoesOn) {
  const struct {
    const char* name;
    const char* arguments;
  } programs[] = {
      {"03_train_reverse", "--quick --test_count 10 --max_iters 400"},
      {"04_char_model", "--quick --max_new_tokens 3 --dropout 0.1 --grad_accum 2 --max_iters 120"},
      {"08_two_relations", "--quick --max_iters 150"},
      {"09_sequence_tasks", "--quick --task induction --max_iters 120"},
      {"10_names",
       "--quick --dropout 0.1 --n_embd 16 --name_count 1 --grad_accum 2 --max_iters 120"},
      {"11_translate", "--quick --n_embd 16 --test_count 5 --max_iters 60"},
  };

  for (const auto& program : programs) {
    SCOPED_TRACE(program.name);
    const std::string arguments = program.arguments;
    const std::string expected = undisturbed(program.name, arguments);
    std::vector<std::string> words{"--save=stopped", "--log=run.jsonl"};
    for (std::size_t begin = 0; begin < arguments.size();) {
      const std::size_t end = std::min(arguments.find(' ', begin), arguments.size());
      words.push_back(arguments.substr(begin, end - begin));
      begin = end + 1;
    }
    std::filesystem::remove(folder_.path() / "run.jsonl");
    const ProgramRun stopped =
        interrupt_program(program.name, words, folder_.path(), "run.jsonl", SIGINT);
    ASSERT_EQ(stopped.exit_code, 130) << stopped.out << stopped.error;
    const std::size_t at = stopped.out.find("; go on with\n  ");
    ASSERT_NE(at, std::string::npos) << stopped.out;
    const std::string command = stopped.out.substr(at + 15);
    const std::string line = "cd '" + folder_.path().string() + "' && " +
                             command.substr(0, command.find('\n')) + " >resumed.out 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << read_file(folder_.path() / "resumed.out");
    EXPECT_EQ(read_file(folder_.path() / "stopped"), expected);
    // The log holds each step once.
    const std::string log = read_file(folder_.path() / "run.jsonl");
    const std::string last = "{\"step\":" + arguments.substr(arguments.rfind(' ') + 1) + ",";
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'),
              std::stoi(arguments.substr(arguments.rfind(' ') + 1)));
    EXPECT_NE(log.find(last), std::string::npos);
  }
}

TEST_F(Resume, RefusesWhatIsNoRunOfItsOwn) {
  ASSERT_EQ(run("03_train_reverse", "--quick --max_iters 2 --save weights").exit_code, 0);
  ASSERT_EQ(run("09_sequence_tasks", "--quick --task copy --max_iters 2 --checkpoint_interval 2")
                .exit_code,
            0);

  const struct {
    const char* arguments;
    int exit_code;
    const char* says;
  } cases[] = {
      {"--resume missing", 1, "missing"},
      {"--resume weights", 1, "it holds weights only"},
      {"--resume out/copy_checkpoint.safetensors", 2, "unknown option"},
      {"--resume weights --n_embd 8", 2, "--n_embd: comes with the checkpoint"},
  };

  for (const auto& bad : cases) {
    const ProgramRun program = run("03_train_reverse", bad.arguments);
    EXPECT_EQ(program.exit_code, bad.exit_code) << bad.arguments << program.error;
    EXPECT_NE(program.error.find(bad.says), std::string::npos) << program.error;
    EXPECT_EQ(std::count(program.error.begin(), program.error.end(), '\n'), 1) << program.error;
  }
}

}  // namespace
}  // namespace vitro::examples
