// --grad_accum and --patience: a step in parts is the step of the whole, and a training that ends
// early ends at the same step however often it was stopped and gone on with.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

class BatchOptions : public testing::Test {
 protected:
  ProgramRun run(const std::string& name, const std::string& arguments) const {
    const ProgramRun program = run_program(name, arguments, folder_.path());
    EXPECT_EQ(program.exit_code, 0) << name << " " << arguments << program.error;
    return program;
  }

  // The column "loss" of a table that --csv wrote.
  std::vector<double> losses(const std::string& file) const {
    const std::string table = read_file(folder_.path() / file);
    std::vector<double> numbers;
    for (std::size_t at = table.find('\n'); at + 1 < table.size(); at = table.find('\n', at + 1)) {
      numbers.push_back(std::stod(table.substr(table.find(',', at) + 1)));
    }
    return numbers;
  }

  TemporaryFolder folder_;
};

const struct {
  const char* name;
  const char* arguments;
  const char* parts;
  const char* whole;
} kSplit[] = {
    {"04_char_model", "--quick --max_new_tokens 1 --max_iters 9 ", "--batch_size 5 --grad_accum 3 ",
     "--batch_size 15 "},
    {"10_names", "--quick --name_count 1 --max_iters 9 --dropout 0 ",
     "--batch_size 3 --grad-accum 7 ", "--batch_size 21 "},
    {"11_translate", "--quick --n_embd 16 --test_count 5 --max_iters 9 ",
     "--batch_size 5 --gradient_accumulation_steps 2 ", "--batch_size 10 "},
};

// Losses, not weights: where a gradient is 0 but for rounding, Adam makes steps of the rounding.
TEST_F(BatchOptions, BL37_PartsTrainAsTheWholeDoes) {
  for (const auto& program : kSplit) {
    SCOPED_TRACE(program.name);
    const std::string arguments = program.arguments;
    const ProgramRun parts = run(program.name, arguments + program.parts + "--csv parts");
    const ProgramRun whole = run(program.name, arguments + program.whole + "--csv whole");
    const std::vector<double> a = losses("parts");
    const std::vector<double> b = losses("whole");
    ASSERT_EQ(a.size(), 9u);
    ASSERT_EQ(b.size(), 9u);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-4) << "step " << i + 1;
    EXPECT_GT(b.front() - b.back(), 0.02) << "nothing was learnt that could differ";
    // What is said of the run is said of the whole batch.
    const std::string steps = "9 steps of " + std::string(program.whole).substr(13);
    EXPECT_NE(parts.out.find(steps), std::string::npos) << parts.out;
    EXPECT_NE(whole.out.find(steps), std::string::npos) << whole.out;
  }
}

const struct {
  const char* name;
  const char* arguments;
  const char* checkpoint;
} kPatient[] = {
    {"04_char_model", "--quick --max_new_tokens 1 --dropout 0.1 ",
     "out/char_model_checkpoint.safetensors"},
    {"10_names", "--quick --name_count 1 --dropout 0.1 ", "out/names_checkpoint.safetensors"},
};

// At a rate of 0 the first evaluation, after step 2, stays the best for ever.
TEST_F(BatchOptions, PatienceEndsWhereNothingGetsBetter) {
  for (const auto& program : kPatient) {
    SCOPED_TRACE(program.name);
    const std::string still =
        std::string(program.arguments) + "--learning_rate 0 --eval_interval 2 --max_iters 12 ";
    const ProgramRun ends = run(program.name, still + "--patience 3 --csv ends");
    EXPECT_EQ(losses("ends").size(), 8u);
    EXPECT_NE(ends.out.find("\nstep 8: no better than "), std::string::npos) << ends.out;
    EXPECT_NE(ends.out.find(" in 3 evaluations: the training ends here"), std::string::npos);
    const ProgramRun goes_on = run(program.name, still + "--csv goes_on");
    EXPECT_EQ(losses("goes_on").size(), 12u);
    EXPECT_EQ(goes_on.out.find("the training ends here"), std::string::npos);
  }
}

// A rate so high that it soon gets worse, checkpoints before the end and at it.
TEST_F(BatchOptions, ResumedRunsEndEarlyAtTheSameStep) {
  for (const auto& program : kPatient) {
    SCOPED_TRACE(program.name);
    const std::string wild = std::string(program.arguments) +
                             "--learning_rate 2 --eval_interval 3 --max_iters 150 --patience 4 ";
    run(program.name, wild + "--save whole --csv whole.csv");
    const std::size_t last = losses("whole.csv").size();
    ASSERT_LT(last, 150u) << "it never ended early";
    ASSERT_GT(last, 12u);
    for (const std::size_t stop : {last - 2, last}) {
      const std::string table = program.name + std::to_string(stop);
      run(program.name, wild + "--checkpoint_interval " + std::to_string(stop));
      run(program.name,
          "--resume " + std::string(program.checkpoint) + " --save resumed --csv " + table);
      EXPECT_EQ(losses(table).size(), last - stop);
      EXPECT_EQ(read_file(folder_.path() / "resumed"), read_file(folder_.path() / "whole"));
    }
    // More patience than before takes it further.
    const std::string table = std::string(program.name) + "further";
    run(program.name,
        "--resume " + std::string(program.checkpoint) + " --patience 5 --csv " + table);
    EXPECT_GE(losses(table).size(), 3u);
  }
}

}  // namespace
}  // namespace vitro::examples
