// Sessions in gdb: stepping through attention, the five breakpoints of docs/debugging.md, printers.
#include <array>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/programs.h"

namespace vitro {
namespace {

// What a shell command prints, on either stream.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  pclose(pipe);
  return text;
}

// A session with Vitro's commands loaded, on one step of 03_train_reverse.
std::string session(const std::vector<std::string>& commands, const std::string& environment = "",
                    const std::string& options = "--max_iters 1") {
  std::string command = environment +
                        " gdb -q -nx -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' "
                        "-x " VITRO_SOURCE_DIR "/docs/debugging/vitro_gdb.py";
  for (const std::string& each : commands) command += " -ex '" + each + "'";
  return output_of(command + " --args " VITRO_EXAMPLES_DIR "/03_train_reverse --threads 1 " +
                   "--out_dir " VITRO_BINARY_DIR "/step_test " + options);
}

// Each text is in the output, after the one before it.
void expect_in_order(const std::string& output, const std::vector<std::string>& texts) {
  std::size_t place = 0;
  for (const std::string& text : texts) {
    const std::size_t found = output.find(text, place);
    ASSERT_NE(found, std::string::npos) << "missing after the others: " << text << "\n" << output;
    place = found + text.size();
  }
}

class Debugger : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(VITRO_BUILD_TYPE) != "Debug") {
      GTEST_SKIP() << "optimised code does not step line by line: the debugger was NOT tried";
    }
    if (!testing_support::is_installed("gdb")) {
      GTEST_SKIP() << "gdb is not installed: the debugger was NOT tried";
    }
  }
};

const char* const kToForward = "break vitro::nn::SelfAttention::forward";

TEST_F(Debugger, OneNextIsOneLineOfSelfAttention) {
  std::vector<std::string> commands{kToForward, "run", "continue"};
  for (int i = 0; i < 9; ++i) commands.emplace_back("next");
  const std::string output = session(commands);
  std::size_t place = 0;
  for (const char* line :
       {"Variable q = matmul", "Variable k = matmul", "Variable v = matmul",
        "Variable scores = matmul", "Variable scaled = scores /", "Variable allowed = mask_scores",
        "Variable weights = softmax", "Variable mixture = matmul", "if (keeps_weights_)"}) {
    const std::size_t found = output.find(line, place);
    ASSERT_NE(found, std::string::npos) << "no stop at: " << line << "\n" << output;
    // Nothing but this line between two stops: each `next` prints exactly one.
    const std::string between = output.substr(place, found - place);
    if (place != 0) {
      EXPECT_EQ(between.find('\n', 1), std::string::npos) << "between two stops:" << between;
    }
    place = output.find('\n', found);
  }
}

TEST_F(Debugger, StepIntoAnOperationLandsInItsFunction) {
  expect_in_order(session({kToForward, "run", "continue", "step", "frame"}),
                  {"Variable q = matmul", "vitro::matmul", "autograd/ops/matmul.cpp",
                   "const Tensor y = matmul(a.value(), b.value());"});
}

TEST_F(Debugger, FiveBreakpointsLeadThereAndBack) {
  const std::string output = session({kToForward,
                                      "run",
                                      "continue",
                                      "print x",
                                      "next",
                                      "print q",
                                      "vt q",
                                      "delete",
                                      "break vitro::softmax",
                                      "continue",
                                      "bt 2",
                                      "delete",
                                      "break Variable::backward",
                                      "continue",
                                      "print *this",
                                      "delete",
                                      "break step_back",
                                      "continue",
                                      "print node.operation",
                                      "continue",
                                      "print node.operation",
                                      "delete"});
  // The first line is the one that docs/debugging.md shows: one line, not the rows behind it.
  expect_in_order(output, {"SelfAttention::forward",
                           "$1 = Variable = add(…) [64, 16, 32] min −4.693 max 4.594 mean "
                           "0.01664 = {...}\n",
                           "= Variable = matmul(…) [64, 16, 32] min ",
                           "[64, 16, 32]\nmatrix 0:", "vitro::softmax", "SelfAttention::forward",
                           "Variable::backward", "Variable = cross_entropy(…) [] 2.", "step_back",
                           "\"cross_entropy\"", "step_back", "\"linear\""});
}

TEST_F(Debugger, GradientsAndCommands) {
  const std::string file = VITRO_BINARY_DIR "/step_test_w_q.npy";
  std::filesystem::remove(file);
  const std::string output = session(
      {"break vitro::nn::Adam::step", "run", "up", "print model.attention_.w_q_",
       "vt model.attention_.w_q_ grad", "vt diff model.attention_.w_q_ model.attention_.w_k_",
       "vt diff model.attention_.w_q_ model.attention_.w_q_",
       "vt save model.attention_.w_q_ " + file, "vt step", "print logits.node_",
       "print batch.inputs.shape_"});
  expect_in_order(output, {"= Variable 'w_q' [32, 32] min ", "[32, 32]\n", "differ, most at [",
                           "equal in all 1024 numbers", "saved in ",
                           "vt: step is no Tensor and no Variable", "[64, 16]"});
  EXPECT_GT(std::filesystem::file_size(file), 4096u);
}

TEST_F(Debugger, TheFirstNanIsFound) {
  const std::string text =
      session({"break vitro::on_non_finite", "break vitro::nn::SelfAttention::forward", "run",
               "continue", "set variable *w_q_.node_->value.data_ = 3e38", "continue", "bt 3"},
              "VITRO_CHECK_FINITE=1");
  expect_in_order(text, {"SelfAttention::forward", "vitro::on_non_finite", "matmul"});
}

}  // namespace
}  // namespace vitro
