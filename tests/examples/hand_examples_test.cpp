// The claims of 01_attention_by_hand and 02_gradients.
#include <gtest/gtest.h>
#include <string>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

ProgramRun run(const std::string& name, const std::string& arguments = "") {
  const TemporaryFolder folder;
  const ProgramRun result = run_program(name, arguments, folder.path());
  EXPECT_EQ(folder.entry_count(), 0) << name << " writes no files";
  return result;
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  for (const std::string& line : lines) {
    const std::size_t found = text.find(line, at);
    ASSERT_NE(found, std::string::npos) << "missing, or out of order: " << line << "\nin\n" << text;
    at = found + line.size();
  }
}

TEST(AttentionByHand, ShowsEveryStepAndAgreesWithTheLayer) {
  const ProgramRun program = run("01_attention_by_hand");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  // Scores 2, 2, 6; halved; e^1 / (e^1 + e^1 + e^3) = 0.10650…; 0.1065·2 + 0.7870·4 = 3.361.
  expect_lines(
      program.out,
      {"X (asks, acts, person, polite) = Tensor [3, 4]", "Q = Tensor [3, 4]", "K = Tensor [3, 4]",
       "V = Tensor [3, 2]", "with you:  0·0 + 2·0 + 4·1 + 2·1 = 6", "with you:  3",
       "on you:  e^3 / 25.522 = 0.787", "channel 0:  0.107·2 + 0.107·0 + 0.787·4 = 3.361",
       "scores  = Q Kᵀ = Tensor [3, 3]\n[[2, 2, 6],\n [0, 0, 2],\n [2, 4, 2]]",
       "[[0.107, 0.107, 0.787],", "SelfAttention(X) = Tensor [3, 2]\n[[3.361, 2.574],",
       "All three agree."});
}

TEST(Gradients, AgreeWithHandAndPublishedNumbers) {
  const ProgramRun program = run("02_gradients");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  // tanh(1.35) = 0.87405…, 1 - tanh² = 0.23603…
  expect_lines(program.out,
               {"y             0.8741        0.8741", "dy/dw1        0.4721        0.4721",
                "g            24.7041       24.7041", "dg/da       138.8338      138.8338",
                "dg/db       645.5773      645.5773", "gradcheck: passed", "gradcheck: FAILED",
                "gradcheck: FAILED", "the wrong gradients were caught"});
}

TEST(Examples, KnowHelpAndRefuseUnknownOptions) {
  for (const char* name : {"01_attention_by_hand", "02_gradients", "03_train_reverse"}) {
    const ProgramRun help = run(name, "--help");
    EXPECT_EQ(help.exit_code, 0) << name;
    EXPECT_TRUE(help.out.starts_with(name)) << help.out;
    EXPECT_EQ(help.error, "") << name;
    const ProgramRun unknown = run(name, "--hepl");
    EXPECT_EQ(unknown.exit_code, 2) << name;
    EXPECT_EQ(unknown.out, "") << name;
    EXPECT_TRUE(unknown.error.starts_with(std::string(name) + ": unknown option '--hepl'"));
    EXPECT_EQ(unknown.error.find('\n'), unknown.error.size() - 1) << "one line";
  }
}

}  // namespace
}  // namespace vitro::examples
