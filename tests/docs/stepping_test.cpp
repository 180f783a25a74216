// Every gdb command of the pages stops where it says it does.
#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/docs/page.h"
#include "tests/docs/tree.h"
#include "tests/examples/run_program.h"
#include "tests/support/programs.h"

namespace vitro::docs {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  pclose(pipe);
  return text;
}

struct Session {
  std::string page;
  std::string command;
};

std::vector<Session> gdb_sessions() {
  std::vector<Session> sessions;
  for (const std::string& path : page_paths(read_tree(VITRO_SOURCE_DIR))) {
    const Page page = parse_page(path, read_text(VITRO_SOURCE_DIR "/" + path));
    for (const Fence& fence : page.fences) {
      for (const std::string& line : split_lines(fence.text)) {
        const bool runs = line.find("-ex run") != std::string::npos;
        if (fence.language == "sh" && line.starts_with("gdb ") && runs) {
          sessions.push_back({path, line});
        }
      }
    }
  }
  return sessions;
}

TEST(Stepping, EveryBreakpointOfTheBookIsReached) {
  if (std::string(VITRO_BUILD_TYPE) != "Debug") {
    GTEST_SKIP() << "the book steps through the debug preset: breakpoints were NOT tried";
  }
  if (!testing_support::is_installed("gdb")) {
    GTEST_SKIP() << "gdb is not installed: breakpoints were NOT tried";
  }
  const std::vector<Session> sessions = gdb_sessions();
  EXPECT_GT(sessions.size(), 8U);
  for (const Session& session : sessions) {
    std::string command = "gdb -q -nx -batch " + session.command.substr(4);
    const std::string folder = "build/debug/examples";
    const std::size_t at = command.find(folder);
    ASSERT_NE(at, std::string::npos) << session.page << ": " << session.command;
    command.replace(at, folder.size(), VITRO_EXAMPLES_DIR);
    const examples::TemporaryFolder empty;
    const std::string output = output_of("cd '" + empty.path().string() + "' && " + command);
    EXPECT_TRUE(output.find("Breakpoint 1, ") != std::string::npos ||
                output.find("Breakpoint 1.") != std::string::npos)  // one of several places
        << session.page << ": " << session.command << "\n"
        << output;
  }
}

}  // namespace
}  // namespace vitro::docs
