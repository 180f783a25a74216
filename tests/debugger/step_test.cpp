// Stepping through attention in gdb: one `next` a line of mathematics.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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

TEST(Debugger, OneNextIsOneLineOfSelfAttention) {
  if (std::string(VITRO_BUILD_TYPE) != "Debug") {
    GTEST_SKIP() << "optimised code does not step line by line: build the debug preset";
  }
  if (std::system("command -v gdb > /dev/null 2>&1") != 0) GTEST_SKIP() << "gdb is not installed";
  std::string command =
      "gdb -q -nx -batch -ex 'set confirm off' -ex 'break vitro::nn::SelfAttention::forward' "
      "-ex 'run --max_iters 1 --threads 1 --out_dir " VITRO_BINARY_DIR "/step_test' -ex continue";
  for (int i = 0; i < 9; ++i) command += " -ex next";
  command += " " VITRO_EXAMPLES_DIR "/03_train_reverse";
  const std::string session = output_of(command);
  std::size_t place = 0;
  for (const char* line :
       {"Variable q = matmul", "Variable k = matmul", "Variable v = matmul",
        "Variable scores = matmul", "Variable scaled = scores /", "Variable allowed = mask_scores",
        "Variable weights = softmax", "Variable mixture = matmul", "if (keeps_weights_)"}) {
    const std::size_t found = session.find(line, place);
    ASSERT_NE(found, std::string::npos) << "no stop at: " << line << "\n" << session;
    // Nothing but this line between two stops: each `next` prints exactly one.
    const std::string between = session.substr(place, found - place);
    if (place != 0) {
      EXPECT_EQ(between.find('\n', 1), std::string::npos) << "between two stops:" << between;
    }
    place = session.find('\n', found);
  }
}

}  // namespace
}  // namespace vitro
