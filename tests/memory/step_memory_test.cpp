// docs/performance/memory.md says what a training step holds; here it is counted again.
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tensor/parallel.h"
#include "tensor/storage.h"

#include "autograd/profile.h"

#include "tests/support/sanitizers.h"
#include "tests/training_runs/gpt_steps.h"

namespace vitro::training_runs {
namespace {

constexpr double kMegabyte = 1024 * 1024;

// Cells of the table row of that configuration: "weights", "gradients", … in MB.
std::map<std::string, double> stated(const std::string& config) {
  std::ifstream page(VITRO_SOURCE_DIR "/docs/performance/memory.md");
  const std::vector<std::string> columns = {"weights", "gradients", "moments", "activations",
                                            "peak"};
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| " + config + " |")) continue;
    std::istringstream cells(line.substr(5));
    std::map<std::string, double> row;
    for (const std::string& column : columns) {
      std::string bar;
      cells >> row[column] >> bar;
    }
    return row;
  }
  ADD_FAILURE() << "docs/performance/memory.md has no row " << config;
  return {};
}

double megabytes_in_use() { return static_cast<double>(memory_counts().bytes_in_use) / kMegabyte; }

double megabytes_of(const std::vector<Tensor>& tensors) {
  Index count = 0;
  for (const Tensor& tensor : tensors) count += tensor.element_count();
  return static_cast<double>(count) * static_cast<double>(sizeof(Scalar)) / kMegabyte;
}

// After three steps, in the middle of the next.
std::map<std::string, double> counted(const std::string& config) {
  GptSteps steps(gpt_sizes(config), 1);
  for (int step = 0; step < 3; ++step) steps.step();
  std::map<std::string, double> row;
  std::vector<Tensor> weights;
  std::vector<Tensor> gradients;
  for (const Variable& parameter : steps.model().parameters()) {
    weights.push_back(parameter.value());
    gradients.push_back(parameter.grad());
  }
  row["weights"] = megabytes_of(weights);
  row["gradients"] = megabytes_of(gradients);
  for (const nn::OptimizerTensors& moments : steps.optimizer().tensors()) {
    row["moments"] += megabytes_of(*moments.tensors);
  }
  weights.clear();
  gradients.clear();
  const double before = megabytes_in_use();
  row["activations"] = [&] {
    const Variable loss = steps.next_loss();
    return megabytes_in_use() - before;
  }();
  Profile profile;
  steps.step();
  profile.stop();
  row["peak"] = static_cast<double>(profile.totals().most_bytes_in_use) / kMegabyte;
  return row;
}

class StepMemory : public testing::TestWithParam<const char*> {};

TEST_P(StepMemory, IsWhatThePageSaysWithinTenPerCent) {
  if (test::kIsSanitized && std::string(GetParam()) == "d") {
    GTEST_SKIP() << "configuration d takes minutes with a sanitizer: it was NOT counted";
  }
  set_num_threads(2);
  const std::map<std::string, double> page = stated(GetParam());
  for (const auto& [what, megabytes] : counted(GetParam())) {
    const double expected = page.contains(what) ? page.at(what) : 0;
    EXPECT_NEAR(megabytes, expected, 0.1 * expected) << what << " of " << GetParam() << ", MB";
  }
}

INSTANTIATE_TEST_SUITE_P(Configurations, StepMemory, testing::Values("a", "b", "c", "d"),
                         [](const auto& config) { return std::string(config.param); });

}  // namespace
}  // namespace vitro::training_runs
