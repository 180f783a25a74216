// A training step in steady state asks the system for nothing: no tensor memory, no heap, no page.
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "tensor/parallel.h"

#include "tests/support/sanitizers.h"
#include "tests/training_runs/footprint.h"
#include "tests/training_runs/training_run.h"

namespace vitro::training_runs {
namespace {

constexpr Index kSteps = test::kIsSanitized ? 5 : 25;

class Steady : public testing::TestWithParam<NamedRun> {};

// What tensors and history hold, and what was asked of the system for them.
void expect_same_counts(const Footprint& before, const Footprint& after) {
  EXPECT_EQ(after.system_requests, before.system_requests);
  EXPECT_EQ(after.detaching_copies, before.detaching_copies);
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.tensor_bytes_in_use, before.tensor_bytes_in_use);
  EXPECT_EQ(after.tensor_bytes_kept, before.tensor_bytes_kept);
}

// Memory that is given back and taken again in each step, even a single page of the heap, is a page
// fault in each step. A few faults in all may be: pages that the heap has had since the warm-up and
// that no step happened to touch before.
bool asked_for_no_page(const Footprint& before, const Footprint& after) {
  return after.mapped_pages == before.mapped_pages &&
         after.page_faults - before.page_faults < kSteps;
}

// A worker thread that the system did not schedule so far takes its first memory when it first
// works: that may fall into any window of steps, but not into five one after the other.
TEST_P(Steady, AStepAsksTheSystemForNothing) {
  set_num_threads(2);
  const std::unique_ptr<TrainingRun> run = GetParam().make();
  for (Index step = 0; step < kSteps; ++step) run->step();
  for (int window = 0; window < 5; ++window) {
    const Footprint before = Footprint::now();
    for (Index step = 0; step < kSteps; ++step) run->step();
    const Footprint after = Footprint::now();
    expect_same_counts(before, after);
    // A sanitizer's heap keeps what was freed, and so grows for ever.
    if (test::kIsSanitized || asked_for_no_page(before, after)) return;
  }
  FAIL() << "each of five times " << kSteps << " steps got pages from the system";
}

INSTANTIATE_TEST_SUITE_P(Runs, Steady, testing::ValuesIn(all_runs()),
                         [](const auto& run) { return std::string(run.param.name); });

}  // namespace
}  // namespace vitro::training_runs
