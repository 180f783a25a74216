// What 04_char_model says of its options.
#include <gtest/gtest.h>
#include <string>

#include "tests/examples/run_program.h"

namespace vitro::examples {
namespace {

constexpr const char* kName = "04_char_model";

TEST(CharModel, QuickKeepsWhatWasGiven) {
  const TemporaryFolder folder;
  const ProgramRun program =
      run_program(kName, "--quick --max_iters 3 --batch_size 5 --block_size 7", folder.path());
  ASSERT_EQ(program.exit_code, 0) << program.error;
  EXPECT_NE(program.out.find("trains for 3 steps of 5 windows of 7 characters"), std::string::npos)
      << program.out;
  EXPECT_NE(program.out.find("drawn in out/char_model_loss.svg\n"), std::string::npos)
      << program.out;
}

TEST(CharModel, LoadedModelsOnlyWrite) {
  const TemporaryFolder folder;
  const std::string quick = "--quick --max_iters 1 ";
  ASSERT_EQ(run_program(kName, quick + "--save m.safetensors", folder.path()).exit_code, 0);
  const std::string load = "--load m.safetensors ";
  const ProgramRun written =
      run_program(kName, load + "--quick --seed 2 --ask 'The '", folder.path());
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_NE(written.out.find("----\nThe "), std::string::npos) << written.out;
  for (const char* option : {"--n_layer 2", "--steps 1", "--save n.safetensors"}) {
    const ProgramRun refused = run_program(kName, load + option, folder.path());
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_EQ(refused.out, "") << option;
    EXPECT_NE(refused.error.find("does not go with --load"), std::string::npos) << refused.error;
  }
}

}  // namespace
}  // namespace vitro::examples
