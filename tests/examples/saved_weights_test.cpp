// Trained weights are not lost, and not used for what they were not trained for.
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

class SavedWeights : public testing::Test {
 protected:
  ProgramRun run(const std::string& name, const std::string& arguments) const {
    return run_program(name, arguments, folder_.path());
  }

  void expect_good(const std::string& name, const std::string& arguments) const {
    const ProgramRun program = run(name, arguments);
    EXPECT_EQ(program.exit_code, 0) << name << " " << arguments << "\n" << program.error;
  }

  // One line that holds `text`, and the exit code.
  void expect_refused(const std::string& name, const std::string& arguments, int exit_code,
                      const std::string& text) const {
    const ProgramRun program = run(name, arguments);
    EXPECT_EQ(program.exit_code, exit_code) << name << " " << arguments << "\n" << program.out;
    EXPECT_NE(program.error.find(text), std::string::npos) << program.error;
  }

  std::string bytes(const std::string& name) const { return read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

// All that is left to do is to save: what the checkpoint holds, not a model that learnt nothing.
TEST_F(SavedWeights, ResumedForNoStepsTheyAreTheCheckpoints) {
  for (const std::string name : {"03_train_reverse", "08_two_relations", "09_sequence_tasks",
                                 "11_translate", "04_char_model"}) {
    const std::string tiny = name == "04_char_model" ? " --max_new_tokens 1" : " --test_count 5";
    expect_good(name, "--quick --max_iters 4 --checkpoint_interval 4 --save trained" + tiny);
    std::string checkpoint;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "out")) {
      if (file.path().extension() == ".safetensors") checkpoint = file.path().string();
    }
    const ProgramRun again = run(name, "--resume '" + checkpoint + "' --max_iters 0 --save again");
    EXPECT_EQ(again.exit_code, 0) << name << "\n" << again.error;
    EXPECT_EQ(bytes("again"), bytes("trained")) << name;
    std::filesystem::remove_all(folder_.path() / "out");
  }
}

// Fourteen million weights make a page that is refused: after the training, and after the saving.
TEST_F(SavedWeights, APageThatCannotBeWrittenDoesNotLoseThem) {
  expect_refused("04_char_model",
                 "--n_embd 640 --n_head 1 --n_layer 3 --block_size 8 --batch_size 1 --max_iters 1 "
                 "--max_new_tokens 1 --trace page.html --save trained",
                 1, "page");
  EXPECT_GT(bytes("trained").size(), 50'000'000U);
}

TEST_F(SavedWeights, FitTheHeadsAndTheTaskThatTheyWereTrainedFor) {
  expect_good("08_two_relations", "--quick --max_iters 2 --n_head 1 --save one_head");
  expect_refused("08_two_relations", "--load one_head", 1,
                 "its weights were trained with n_head = 1, not 2");
  expect_good("08_two_relations", "--quick --load one_head --n_head 1");
  expect_good("09_sequence_tasks", "--task copy --quick --max_iters 2 --save copier");
  expect_refused("09_sequence_tasks", "--task reverse --load copier", 1,
                 "its weights were trained with task = copy, not reverse");
}

// The model is as large as its data wants, whatever is asked.
TEST_F(SavedWeights, OfDatesAnswerEveryQuestion) {
  expect_good("11_translate", "--quick --max_iters 2 --test_count 5 --save dates");
  expect_good("11_translate", "--load dates --test_count 5 --ask 'September 30, 1987'");
  expect_refused("11_translate", "--load dates --ask 'September  30,  1987'", 2,
                 "--ask: it has 20 characters; the longest source has 18");
}

TEST_F(SavedWeights, OfNamesAreForMakingUpNamesOnly) {
  expect_good("10_names", "--quick --max_iters 2 --name_count 1 --save names");
  expect_good("10_names", "--load names --name_count 2 --seed 3");
  expect_refused("10_names", "--load names --max_iters 5 --save more", 2,
                 "--max_iters: with --load nothing is trained");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "more"));
}

// Nobody waits for the end of a million characters.
TEST_F(SavedWeights, AreThereWhenCtrlCEndsWhatComesAfterThem) {
  const ProgramRun program = interrupt_program(
      "04_char_model", {"--quick", "--max_new_tokens", "1000000", "--save", "trained"},
      folder_.path(), "trained", SIGINT);
  EXPECT_EQ(program.exit_code, -1) << "it should have died of the signal";
  EXPECT_GT(bytes("trained").size(), 1000U);
}

TEST_F(SavedWeights, ARecalledAnswerIsOneSymbol) {
  const ProgramRun program =
      run("09_sequence_tasks", "--task recall --quick --max_iters 2 --ask a1b2c3d4a");
  const std::size_t answer = program.out.find("answered: ");
  ASSERT_NE(answer, std::string::npos) << program.out;
  EXPECT_EQ(program.out.find('\n', answer), answer + std::string("answered: ").size() + 1);
}

// Before the work that they show.
TEST_F(SavedWeights, PagesInNoFolderAreRefusedAtOnce) {
  for (const char* name : {"01_attention_by_hand", "02_gradients", "05_matmul_ladder"}) {
    const ProgramRun program = run(name, "--trace nowhere/page.html");
    EXPECT_EQ(program.exit_code, 1) << name;
    EXPECT_EQ(program.out, "") << name;
  }
}

}  // namespace
}  // namespace vitro::examples
