#include "examples/common/run_log.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "tensor/files/json.h"

#include "examples/common/output_file.h"

#include "tests/examples/run_program.h"
#include "tests/support/german.h"

namespace vitro::examples {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(RunLogTest, WritesEachLineAtOnce) {
  const TemporaryFolder folder;
  RunLog log(folder.file("run.jsonl"), folder.file("run.csv"));
  log.write(1, {{"loss", 2.25}, {"rate", 1e-3}});
  // Read while the log is still open: nothing waits in a buffer.
  EXPECT_EQ(read_file(folder.file("run.jsonl")), "{\"step\":1,\"loss\":2.25,\"rate\":0.001}\n");
  EXPECT_EQ(read_file(folder.file("run.csv")), "step,loss,rate\n1,2.25,0.001\n");
  log.write(2, {{"loss", kNan}, {"rate", -kInfinity}});
  EXPECT_EQ(read_file(folder.file("run.jsonl")),
            "{\"step\":1,\"loss\":2.25,\"rate\":0.001}\n"
            "{\"step\":2,\"loss\":null,\"rate\":null}\n");
  EXPECT_EQ(read_file(folder.file("run.csv")), "step,loss,rate\n1,2.25,0.001\n2,nan,-inf\n");
}

TEST(RunLogTest, BL84_AnOwnLanguageChangesNoNumber) {
  const test::GermanLocale german;
  const TemporaryFolder folder;
  RunLog log(folder.file("run.jsonl"), folder.file("run.csv"));
  log.write(12345, {{"loss", 2.25}, {"rate", 1e-3}});
  EXPECT_EQ(read_file(folder.file("run.jsonl")), "{\"step\":12345,\"loss\":2.25,\"rate\":0.001}\n");
  EXPECT_EQ(read_file(folder.file("run.csv")), "step,loss,rate\n12345,2.25,0.001\n");
}

TEST(RunLogTest, NumbersComeBackExactlyAndNamesAreQuoted) {
  const TemporaryFolder folder;
  const std::string name = "a \"b\",\n\\c";
  RunLog log(folder.file("run.jsonl"), folder.file("run.csv"));
  log.write(7, {{name, 0.1 + 0.2}});
  const std::string line = read_file(folder.file("run.jsonl"));
  EXPECT_EQ(JsonValue::parse(line)[name].number(), 0.1 + 0.2);
  EXPECT_EQ(JsonValue::parse(line)["step"].integer(), 7);
  EXPECT_TRUE(
      read_file(folder.file("run.csv")).starts_with("step,\"a \"\"b\"\",\n\\c\"\n7,0.3000"));
}

TEST(RunLogTest, WithoutNamesThereAreNoFiles) {
  const TemporaryFolder folder;
  RunLog log("", "");
  log.write(1, {{"loss", 1}});
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(RunLogTest, RefusesFieldsThatChange) {
  const TemporaryFolder folder;
  RunLog log("", folder.file("run.csv"));
  log.write(1, {{"loss", 1}});
  EXPECT_THROW(log.write(2, {{"accuracy", 1}}), std::invalid_argument);
  EXPECT_THROW(log.write(2, {{"loss", 1}, {"accuracy", 1}}), std::invalid_argument);
  EXPECT_THROW(log.write(2, {}), std::invalid_argument);
}

TEST(RunLogTest, RefusesPlacesWhereNothingCanBe) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("no/run.csv");
  // The good name stands first: it must not be made where the second is bad.
  EXPECT_EQ(error_of([&] { RunLog(folder.file("run.jsonl"), missing); }),
            "cannot write '" + missing + "': there is no folder '" + folder.file("no") + "'");
  EXPECT_EQ(error_of([&] { RunLog(folder.path().string(), ""); }),
            "cannot write '" + folder.path().string() + "': it is a folder");
  EXPECT_THROW(RunLog(folder.file("same"), folder.file("same")), std::invalid_argument);
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(RunLogTest, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here: a full disk was NOT tried";
  RunLog log("/dev/full", "");
  EXPECT_THROW(log.write(1, {{"loss", 1}}), std::runtime_error);
}

TEST(OutputFile, AppearsWholeOrNotAtAll) {
  const TemporaryFolder folder;
  write_file(folder.file("a.svg"), "one");
  write_file(folder.file("a.svg"), "two");
  EXPECT_EQ(read_file(folder.file("a.svg")), "two");
  EXPECT_EQ(folder.entry_count(), 1);
  EXPECT_THROW(write_file(folder.file("no/a.svg"), "x"), std::runtime_error);
  EXPECT_THROW(make_folder(folder.file("a.svg")), std::runtime_error);
  EXPECT_THROW(make_folder(folder.file("a.svg/b")), std::runtime_error);
  EXPECT_NO_THROW(make_folder(folder.file("b/c")));
  EXPECT_NO_THROW(make_folder(folder.file("b/c")));
}

TEST(OutputFile, MayLieInAFolderThatIsYetToBeMade) {
  const TemporaryFolder folder;
  for (const char* future : {"a/b", "a/b/", "./a//b/c/..", "a/b/c"}) {
    EXPECT_NO_THROW(check_writable(folder.file("a/b/run.csv"), folder.file(future))) << future;
    EXPECT_THROW(check_writable(folder.file("a/b"), folder.file(future)), std::runtime_error);
    EXPECT_THROW(check_writable(folder.file("a/x/y"), folder.file(future)), std::runtime_error);
  }
  EXPECT_NO_THROW(check_writable(folder.file("run.csv"), folder.file("a")));
  EXPECT_EQ(folder.entry_count(), 0);
}

}  // namespace
}  // namespace vitro::examples
