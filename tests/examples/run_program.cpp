#include "tests/examples/run_program.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tensor/system.h"

#include "tests/support/files.h"

namespace vitro::examples {

namespace fs = std::filesystem;

ProgramRun run_program(const std::string& name, const std::string& arguments,
                       const fs::path& folder) {
  const TemporaryFolder output;
  const std::string command = "cd '" + folder.string() + "' && '" VITRO_EXAMPLES_DIR "/" + name +
                              "' " + arguments + " >'" + output.file("out") + "' 2>'" +
                              output.file("error") + "'";
  const int status = std::system(command.c_str());
  ProgramRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.out = read_file(output.path() / "out");
  run.error = read_file(output.path() / "error");
  return run;
}

namespace {

// In the child process: never returns.
[[noreturn]] void become_program(const std::string& path, std::vector<std::string> arguments,
                                 const fs::path& folder, const TemporaryFolder& output) {
  std::signal(SIGINT, SIG_DFL);
  std::vector<char*> words;
  arguments.insert(arguments.begin(), path);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const bool ready = chdir(folder.c_str()) == 0 &&
                     std::freopen(output.file("out").c_str(), "w", stdout) != nullptr &&
                     std::freopen(output.file("error").c_str(), "w", stderr) != nullptr;
  if (ready) execv(path.c_str(), words.data());
  _exit(127);
}

bool holds_something(const fs::path& path) {
  std::error_code error;
  return fs::file_size(path, error) > 0 && !error;
}

}  // namespace

ProgramRun interrupt_program(const std::string& name, const std::vector<std::string>& arguments,
                             const fs::path& folder, const std::string& sign, int signal) {
  const TemporaryFolder output;
  const pid_t child = fork();
  if (child == 0) {
    become_program(std::string(VITRO_EXAMPLES_DIR "/") + name, arguments, folder, output);
  }
  for (int wait = 0; wait < 3000 && !holds_something(folder / sign); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  ProgramRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.out = read_file(output.path() / "out");
  run.error = read_file(output.path() / "error");
  return run;
}

TemporaryFolder::TemporaryFolder() {
  static int count = 0;
  const std::string name = "vitro-" + std::to_string(process_id()) + "-" + std::to_string(++count);
  path_ = testing_support::folder_for_tests() / name;
  fs::remove_all(path_);
  fs::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

int TemporaryFolder::entry_count() const {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(path_)) count += 1;
  return count;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace vitro::examples
