// The claims of 05_matmul_ladder.
#include <gtest/gtest.h>
#include <string>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

ProgramRun run(const std::string& arguments) {
  const TemporaryFolder folder;
  return run_program("05_matmul_ladder", arguments, folder.path());
}

TEST(MatmulLadder, EveryRungIsTimedAndAgrees) {
  const ProgramRun program = run("--quick");
  EXPECT_EQ(program.exit_code, 0) << program.error;
  std::size_t at = 0;
  for (const char* part : {"96 x 96", "naive", "row order", "cache tiles", "threads", "registers",
                           "All rungs agree"}) {
    at = program.out.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " is missing, or out of order, in\n" << program.out;
  }
  EXPECT_EQ(program.out.find("TOO FAR"), std::string::npos);
}

// Sizes that fill no tile.
TEST(MatmulLadder, TakesAnySizeAndNumberOfThreads) {
  for (const char* arguments : {"--size 1 --repeats 1", "--size 37 --repeats 2 --threads 3"}) {
    EXPECT_EQ(run(arguments).exit_code, 0) << arguments;
  }
}

TEST(MatmulLadder, BL82_PrintsTheNumberOfThreads) {
  EXPECT_NE(run("--size 32 --repeats 1 --threads 1").out.find("on 1 thread\n"), std::string::npos);
  EXPECT_NE(run("--size 32 --repeats 1 --threads 3").out.find("on 3 threads\n"), std::string::npos);
}

TEST(MatmulLadder, RefusesSizesOutOfRange) {
  const ProgramRun program = run("--size 0");
  EXPECT_EQ(program.exit_code, 2);
  EXPECT_NE(program.error.find("size"), std::string::npos);
}

}  // namespace
}  // namespace vitro::examples
