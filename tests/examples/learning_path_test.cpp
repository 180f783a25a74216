// The claims of 06 to 12, in their quick forms.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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
  EXPECT_NE(program.out.find("  (in the list)\n"), std::string::npos) << program.out;
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

TEST_F(LearningPath, TheNetworkOf12IsSavedAndAsked) {
  const ProgramRun trained = run("12_new_operation", "--save model --ask -0.5");
  EXPECT_NE(trained.out.find("asked:    -0.5000\nanswered: 0.2"), std::string::npos) << trained.out;
  EXPECT_NE(trained.out.find(" (x² is 0.2500)\n"), std::string::npos) << trained.out;
  const std::string answer = trained.out.substr(trained.out.find("asked:"));
  const ProgramRun loaded =
      run("12_new_operation", "--load model --ask -0.5 --save copy --csv none.csv --seed 5");
  EXPECT_LT(result(loaded, "loss"), 0.01);
  EXPECT_EQ(loaded.out.substr(loaded.out.find("asked:")), answer);
  EXPECT_EQ(read_file(folder_.path() / "copy"), read_file(folder_.path() / "model"));
  EXPECT_EQ(loaded.out.find("learns"), std::string::npos) << loaded.out;
  run("12_new_operation", "--load model --max_iters 3 --save on");
  EXPECT_NE(read_file(folder_.path() / "on"), read_file(folder_.path() / "model"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out")) << "a folder for no picture";
  for (const char* question : {"2", "x", "0.5x", "nan"}) {
    const ProgramRun bad =
        run_program("12_new_operation", std::string("--ask ") + question, folder_.path());
    EXPECT_EQ(bad.exit_code, 2) << question;
    EXPECT_NE(bad.error.find("' is no number from -1 to 1"), std::string::npos) << bad.error;
  }
}

// A table of what was compared: a line a step, or a distance.
TEST_F(LearningPath, ComparisonsAreLogged) {
  const struct {
    const char* name;
    const char* arguments;
    const char* heading;
    const char* json;
    int lines;
  } programs[] = {
      {"06_why_scale", "--quick --max_iters 3", "step,scaled_loss,unscaled_loss\n1,",
       "{\"step\":1,\"scaled_loss\":2.", 3},
      {"07_long_range", "--quick --max_iters 3",
       "distance,attention,recurrent,attention_microseconds,recurrent_microseconds\n4,",
       "{\"distance\":4,\"attention\":0.", 3},
      {"12_new_operation", "--max_iters 3", "step,loss\n1,", "{\"step\":1,\"loss\":", 3},
  };

  for (const auto& program : programs) {
    SCOPED_TRACE(program.name);
    run(program.name, program.arguments + std::string(" --csv table --log lines --threads 1"));
    const std::string table = read_file(folder_.path() / "table");
    const std::string lines = read_file(folder_.path() / "lines");
    EXPECT_TRUE(table.starts_with(program.heading)) << table;
    EXPECT_TRUE(lines.starts_with(program.json)) << lines;
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), program.lines + 1);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), program.lines);
  }
}

// What makes no sense is neither taken nor listed: 06 and 07 compare models, 12 draws nothing.
TEST_F(LearningPath, WhatAProgramDoesNotHaveItRefuses) {
  const struct {
    const char* name;
    std::vector<std::string> options;
  } programs[] = {
      {"06_why_scale", {"save", "load", "ask", "resume", "grad_accum", "patience"}},
      {"07_long_range", {"save", "load", "ask", "resume", "grad_accum", "patience"}},
      {"12_new_operation", {"resume", "out_dir", "grad_accum", "patience"}},
      {"11_translate", {"patience"}},
      {"03_train_reverse", {"patience", "grad_accum"}},
  };

  for (const auto& program : programs) {
    const std::string help = run(program.name, "--help").out;
    for (const std::string& option : program.options) {
      EXPECT_EQ(help.find("--" + option + " "), std::string::npos) << program.name << help;
      const ProgramRun bad =
          run_program(program.name, "--" + option + " 1 --max_iters 1", folder_.path());
      EXPECT_EQ(bad.exit_code, 2) << program.name << " --" << option;
      EXPECT_NE(bad.error.find("unknown option '--" + option + "'"), std::string::npos)
          << bad.error;
    }
  }
}

}  // namespace
}  // namespace vitro::examples
