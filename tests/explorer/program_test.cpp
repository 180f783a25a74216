// The page's own program: without a browser (Node.js), and in one (headless Chromium).
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <string>

#include "tests/explorer/recordings.h"
#include "tests/support/files.h"
#include "tests/support/programs.h"

namespace vitro::test {
namespace {

using testing_support::is_installed;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

const std::string kScripts = VITRO_SOURCE_DIR "/tests/explorer/";

// Runs a script on a page; what it prints is the failure.
void expect_passes(const std::string& script, const std::string& page,
                   const std::string& more = "") {
  const TemporaryFolder folder;
  write_bytes(folder.file("page.html"), page);
  const CommandResult result =
      run_command("node " + kScripts + script + " " + folder.file("page.html") + " " + more);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  std::cout << result.output;
}

class ExplorerInNode : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_installed("node"))
      GTEST_SKIP() << "node is not installed: the page's program was NOT run";
  }
};

TEST_F(ExplorerInNode, RecomputesEveryOperation) {
  expect_passes("recompute.js", every_operation_page(), "--every-operation");
}

TEST_F(ExplorerInNode, RecomputesAGpt) { expect_passes("recompute.js", gpt_page()); }

TEST_F(ExplorerInNode, StepsForthAndBackRestoreTheState) { expect_passes("steps.js", gpt_page()); }

TEST_F(ExplorerInNode, ChangesFlowDownstreamOnly) { expect_passes("changes.js", gpt_page()); }

class ExplorerInBrowser : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_installed("node")) GTEST_SKIP() << "node is not installed: no browser was driven";
    if (!is_installed("chromium") && !is_installed("chromium-browser") &&
        !is_installed("google-chrome")) {
      GTEST_SKIP() << "Chromium is not installed: the page was NOT opened in a browser";
    }
  }
};

TEST_F(ExplorerInBrowser, StepsThroughAGpt) { expect_passes("browse.js", gpt_page()); }

TEST_F(ExplorerInBrowser, StepsThroughEveryOperation) {
  expect_passes("browse.js", every_operation_page());
}

TEST_F(ExplorerInBrowser, HostileTextsStayTexts) { expect_passes("browse.js", hostile_page()); }

}  // namespace
}  // namespace vitro::test
