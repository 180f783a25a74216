#include "examples/common/training.h"

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

TEST(TrainingReport, ALossThatIsNoNumberEndsTheRun) {
  const TemporaryFolder folder;
  TrainingOptions options;
  options.log = folder.file("run.jsonl");
  testing::internal::CaptureStderr();
  TrainingReport report(options, 1);
  report.update(1, Scalar(2.5));
  try {
    report.update(2, std::numeric_limits<Scalar>::quiet_NaN());
    FAIL() << "NaN was taken for a loss";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "step 2: the loss is nan; a smaller --learning_rate may help");
  }
  testing::internal::GetCapturedStderr();
}

TEST(PrepareTraining, LooksAtEveryNameBeforeItMakesAFolder) {
  const TemporaryFolder folder;
  for (std::string TrainingOptions::*name :
       {&TrainingOptions::save, &TrainingOptions::log, &TrainingOptions::csv}) {
    TrainingOptions options;
    options.out_dir = folder.file("out");
    options.*name = folder.file("missing/file");
    EXPECT_THROW(prepare_training(options), std::runtime_error);
  }
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(PrepareTraining, RefusesOneFileForTwoUses) {
  const TemporaryFolder folder;
  TrainingOptions options;
  options.out_dir = folder.file("out");
  options.save = folder.file("a");
  options.csv = folder.file("x/../a");
  EXPECT_THROW(prepare_training(options), std::runtime_error);
  options.csv = "";
  EXPECT_THROW(prepare_training(options, {{"text", folder.file("a")}}), std::runtime_error);
  options.save = "";
  options.load = options.log = folder.file("a");
  EXPECT_THROW(prepare_training(options), std::runtime_error);
  EXPECT_EQ(folder.entry_count(), 0);
  options.save = options.load;  // to train on, and replace what was loaded
  options.log = "";
  EXPECT_NO_THROW(prepare_training(options));
  EXPECT_EQ(folder.entry_count(), 1);
}

// A training of hours must not end with weights that cannot be saved.
TEST(PrepareTraining, TriesToWriteBeforeTheTraining) {
  const TemporaryFolder folder;
  TrainingOptions options;
  options.out_dir = folder.file("out");
  for (const std::string& name : {std::string("/dev/null"), folder.file(std::string(300, 'a'))}) {
    options.save = name;
    EXPECT_THROW(prepare_training(options), std::runtime_error) << name;
  }
  options.save = folder.file("out/model");
  EXPECT_NO_THROW(prepare_training(options));
  EXPECT_EQ(folder.entry_count(), 1) << "the try left something";
}

}  // namespace
}  // namespace vitro::examples
