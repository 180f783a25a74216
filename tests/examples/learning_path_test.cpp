// The claims of 06 to 12, in their quick forms.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

class LearningPath : public testing::Test {
 protected:
  ProgramRun run(const std::string& name, const std::string& arguments) const {
    const ProgramRun program = run_program(name, arguments, folder_.path());
    EXPECT_EQ(program.exit_code, 0) << program.error;
    return program;
  }

  static double result(const ProgramRun& program, const std::string& name) {
    const std::string label = "result: " + name + " = ";
    const std::size_t at = program.out.find(label);
    if (at == std::string::npos) ADD_FAILURE() << "no \"" << label << "\" in\n" << program.out;
    return at == std::string::npos ? -1 : std::stod(program.out.substr(at + label.size()));
  }

  TemporaryFolder folder_;
};

TEST_F(LearningPath, EachHasHelpAndRefusesTheUnknown) {
  for (const char* name : {"06_why_scale", "07_long_range", "08_two_relations", "09_sequence_tasks",
                           "10_names", "11_translate", "12_new_operation"}) {
    const ProgramRun help = run(name, "--help");
    EXPECT_TRUE(help.out.starts_with(name)) << help.out;
    EXPECT_NE(help.out.find("--quick"), std::string::npos);
    const ProgramRun bad = run_program(name, "--sed 3", folder_.path());
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_NE(bad.error.find("did you mean --seed?"), std::string::npos) << bad.error;
  }
}

// Wide heads without the division have no gradient to learn from.
TEST_F(LearningPath, ScoresAreDividedBySqrtDk) {
  const ProgramRun program = run("06_why_scale", "--d_k 1024 --max_iters 60");
  EXPECT_GT(result(program, "scaled_exact_match"), 0.9);
  EXPECT_LT(result(program, "unscaled_exact_match"), 0.5);
  EXPECT_NE(program.out.find("    1024"), std::string::npos) << program.out;
}

TEST_F(LearningPath, AttentionReachesFurther) {
  const ProgramRun program = run("07_long_range", "--quick");
  EXPECT_GT(result(program, "attention_worst"), 0.9);
  EXPECT_LT(result(program, "recurrent_longest"), 0.6);
}

TEST_F(LearningPath, TasksTrainAndAnswer) {
  EXPECT_EQ(result(run("09_sequence_tasks", "--task shift --test_count 200"), "exact_match"), 1);
  const ProgramRun induction =
      run("09_sequence_tasks", "--task induction --max_iters 1000 --save model");
  EXPECT_GT(result(induction, "exact_match"), 0.9);
  const ProgramRun asked =
      run("09_sequence_tasks", "--task induction --load model --ask 'abcdefghijkl c'");
  EXPECT_NE(asked.out.find("answered: defg\n"), std::string::npos) << asked.out;
  const ProgramRun short_one =
      run_program("09_sequence_tasks", "--task add --ask 1+2=", folder_.path());
  EXPECT_EQ(short_one.exit_code, 2);
  EXPECT_NE(short_one.error.find("add takes 8 of"), std::string::npos) << short_one.error;
}

TEST_F(LearningPath, HeadsAreDrawn) {
  const ProgramRun program = run("08_two_relations", "--quick");
  for (const char* head : {"1", "2"}) {
    const std::string picture = "out/two_relations_head_" + std::string(head) + ".svg";
    EXPECT_TRUE(read_file(folder_.path() / picture).starts_with("<svg ")) << picture;
  }
}

// CR LF ends no name: the made-up ones hold letters only.
TEST_F(LearningPath, BL61_NamesAreMadeUpOfTheirLetters) {
  std::ofstream list(folder_.file("names"), std::ios::binary);
  for (int i = 0; i < 60; ++i)
    list << std::string(std::size_t(2 + i % 5), char('a' + i % 7)) << "\r\n";
  list.close();
  const ProgramRun program = run("10_names", "--quick --text names --save model");
  EXPECT_LT(result(program, "test_loss"), 2.2);
  EXPECT_EQ(program.out.find('\r'), std::string::npos);
  const ProgramRun loaded = run("10_names", "--load model --name_count 3");
  EXPECT_NE(loaded.out.find("made up:\n  "), std::string::npos) << loaded.out;
}

TEST_F(LearningPath, TranslatesPairsOfOnesOwn) {
  std::ofstream list(folder_.file("pairs"), std::ios::binary);
  for (int i = 0; i < 200; ++i) list << i << "\t" << i % 10 << "\r\n";
  list.close();
  const ProgramRun program =
      run("11_translate", "--quick --pairs pairs --max_iters 250 --n_embd 32 --ask 137");
  EXPECT_NE(program.out.find("asked:    137\nanswered: 7\n"), std::string::npos) << program.out;
}

TEST_F(LearningPath, OwnOperationIsCheckedAndUsed) {
  EXPECT_LT(result(run("12_new_operation", ""), "loss"), 0.01);
}

}  // namespace
}  // namespace vitro::examples
