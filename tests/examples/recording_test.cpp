// --trace on every program: a page that can be computed again, and a run that goes on as without
// it.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "tests/examples/run_program.h"
#include "tests/support/programs.h"

namespace vitro::examples {
namespace {

struct Program {
  std::string name;
  std::string arguments;
  std::string check = "";  // more for recompute.js
};

const Program kPrograms[] = {
    {"01_attention_by_hand", ""},
    {"02_gradients", ""},
    {"03_train_reverse", "--max_iters 5 --test_count 10 --save saved"},
    {"04_char_model", "--quick --max_iters 3 --max_new_tokens 5 --save saved"},
    {"05_matmul_ladder", "--quick --size 8"},
    {"06_why_scale", "--quick --d_k 64 --max_iters 5"},
    {"07_long_range", "--quick --max_iters 5 --longest 8"},
    {"08_two_relations", "--quick --max_iters 5 --save saved"},
    {"09_sequence_tasks", "--quick --max_iters 5 --save saved"},
    {"10_names", "--quick --max_iters 5 --name_count 1 --save saved"},
    {"11_translate", "--quick --max_iters 3 --test_count 3 --save saved"},
    {"12_new_operation", "--quick --max_iters 5 --save saved", "--unknown softsign"},
};

std::string bytes_if_there(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_file(path) : "";
}

// The lines "result: loss = 0.5" of what a program printed.
std::string results_of(const std::string& out) {
  std::istringstream lines(out);
  std::string results;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("result: ")) results += line + "\n";
  }
  return results;
}

class Recording : public testing::TestWithParam<Program> {};

TEST_P(Recording, IsAPageAndChangesNothingElse) {
  const Program& program = GetParam();
  const TemporaryFolder plain, traced;
  const ProgramRun without = run_program(program.name, program.arguments, plain.path());
  const ProgramRun with =
      run_program(program.name, program.arguments + " --trace run.html", traced.path());
  ASSERT_EQ(without.exit_code, with.exit_code) << with.error;
  EXPECT_EQ(bytes_if_there(plain.path() / "saved"), bytes_if_there(traced.path() / "saved"));
  EXPECT_EQ(results_of(without.out), results_of(with.out));
  EXPECT_EQ(without.out.find("recorded in"), std::string::npos);
  EXPECT_NE(with.out.find("recorded in run.html"), std::string::npos) << with.out;
  EXPECT_NE(read_file(traced.path() / "run.html").find("id=\"head\""), std::string::npos);
}

TEST_P(Recording, IsComputedAgainByThePage) {
  if (!testing_support::is_installed("node"))
    GTEST_SKIP() << "node is not installed: no page was computed again";
  const Program& program = GetParam();
  const TemporaryFolder folder;
  const std::string page = folder.file("run.html");
  run_program(program.name, program.arguments + " --trace run.html", folder.path());
  const std::string command = "node '" VITRO_SOURCE_DIR "/tests/explorer/recompute.js' '" + page +
                              "' " + program.check + " >'" + folder.file("said") + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder.path() / "said");
}

INSTANTIATE_TEST_SUITE_P(Programs, Recording, testing::ValuesIn(kPrograms),
                         [](const testing::TestParamInfo<Program>& program) {
                           return program.param.name.substr(3);  // without its number
                         });

// A program that is added to the path joins the list above.
TEST(RecordingList, HoldsEveryNumberedProgram) {
  std::size_t numbered = 0;
  for (const auto& file : std::filesystem::directory_iterator(VITRO_SOURCE_DIR "/examples")) {
    const std::string name = file.path().filename().string();
    numbered += name[0] >= '0' && name[0] <= '9' ? 1 : 0;
  }
  EXPECT_EQ(std::size(kPrograms), numbered);
}

}  // namespace
}  // namespace vitro::examples
