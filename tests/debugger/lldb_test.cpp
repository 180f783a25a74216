// A session in lldb: the summaries of tensors and variables, and the table.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/files.h"
#include "tests/support/programs.h"

namespace vitro {
namespace {

// Debian's lldb 14 names a folder for its Python module that is not the one where it lies.
constexpr const char* kDebiansModule = "/usr/lib/llvm-14/lib/python3.11/dist-packages";

using testing_support::is_installed;

TEST(Lldb, ShowsVariablesInOneLineAndAsTables) {
  if (std::string(VITRO_BUILD_TYPE) != "Debug") {
    GTEST_SKIP() << "optimised code hides variables: lldb was NOT tried";
  }
  const std::string lldb = is_installed("lldb") ? "lldb" : "lldb-14";
  if (!is_installed(lldb)) GTEST_SKIP() << "lldb is not installed: its printers were NOT tried";
  const testing_support::TemporaryFolder folder;
  const std::string command =
      (std::filesystem::exists(kDebiansModule) ? "PYTHONPATH=" + std::string(kDebiansModule) : "") +
      " " + lldb +
      " -b -o 'command script import " VITRO_SOURCE_DIR
      "/docs/debugging/vitro_lldb.py' "
      "-o 'breakpoint set -f self_attention.cpp -p \"weights_ = weights\"' -o run "
      "-o 'frame variable weights' -o 'vt weights' " VITRO_EXAMPLES_DIR "/01_attention_by_hand >'" +
      folder.file("said") + "' 2>&1";
  const int status = std::system(command.c_str());
  const std::string said = testing_support::read_bytes(folder.file("said"));
  if (said.find("No module named 'lldb") != std::string::npos) {
    GTEST_SKIP() << "this lldb finds no Python: its printers were NOT tried";
  }
  EXPECT_EQ(status, 0) << said;
  // The weights that the program itself prints, a row of them below.
  EXPECT_NE(said.find("weights = Variable [3, 3] min 0.1065 max 0.787 mean 0.3333"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("0.2119     0.5761     0.2119"), std::string::npos) << said;
}

}  // namespace
}  // namespace vitro
