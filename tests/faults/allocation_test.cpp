// A training step for which the system has no memory, at each of its requests in turn: the step
// fails with one exception, leaves nothing behind, and can be taken again to the same bits.
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "tensor/context.h"
#include "tensor/storage.h"

#include "autograd/node.h"
#include "autograd/ops.h"

#include "nn/models/gpt.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/sgd.h"

#include "tests/faults/failing_new.h"
#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

enum class Method { kAdamW, kSgd };

// A small GPT with its optimizer and one batch: the same for each object.
class Training {
 public:
  explicit Training(Method method) {
    inputs_ = random_tokens({3, 7}, 11, rng_);
    targets_ = random_tokens({3, 7}, 11, rng_);
    if (method == Method::kAdamW) {
      optimizer_ =
          std::make_unique<nn::AdamW>(nn::decay_groups(model_, Scalar(0.1)), nn::AdamOptions{});
    } else {
      optimizer_ = std::make_unique<nn::Sgd>(model_.named_parameters(),
                                             nn::SgdOptions{Scalar(0.1), Scalar(0.9), Scalar(0.1)});
    }
  }

  void step() {
    optimizer_->zero_grad();
    const Variable loss = cross_entropy(model_(inputs_), targets_);
    loss.backward();
    nn::clip_grad_norm(optimizer_->parameters(), 1);
    optimizer_->step();
  }

  std::vector<Scalar> weights() const { return all_values(model_); }

  void zero_grad() const { optimizer_->zero_grad(); }

 private:
  Rng rng_{7};
  nn::Gpt model_{small_gpt(), rng_};
  Indices inputs_, targets_;
  std::unique_ptr<nn::Optimizer> optimizer_;
};

// What a failed step must leave as it was.
struct State {
  explicit State(const Training& training) : weights(training.weights()), nodes(live_node_count()) {
    training.zero_grad();
    bytes_in_use = memory_counts().bytes_in_use;
  }

  std::vector<Scalar> weights;
  Index nodes;
  Index bytes_in_use;
};

// Takes a step with its n-th request refused; what the exception says, or nothing where the step
// did without that memory.
std::optional<std::string> failing_step(Training& training, Index n, Refusal refusal) {
  const FailingNew failing(n, refusal);
  try {
    training.step();
  } catch (const std::bad_alloc& error) {
    return error.what();
  }
  return std::nullopt;
}

// Returns false once the step makes fewer requests than n.
bool expect_clean_failure(Method method, Index n, Refusal refusal,
                          const std::vector<Scalar>& expected) {
  Training training(method);
  training.step();  // the buffers of a step exist from here on
  release_kept_memory();
  const State before(training);
  const std::optional<std::string> error = failing_step(training, n, refusal);
  if (!FailingNew::has_refused()) return false;
  if (error.has_value()) {
    EXPECT_NE(*error, "") << n;
    EXPECT_EQ(context().module_path, nullptr) << n;
    EXPECT_EQ(context().file, nullptr) << n;
    const State after(training);
    EXPECT_EQ(after.weights, before.weights) << n;
    EXPECT_EQ(after.nodes, before.nodes) << n;
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use) << n;
    training.step();
  }
  EXPECT_EQ(training.weights(), expected) << n;
  return true;
}

std::vector<Scalar> after_two_steps(Method method) {
  Training training(method);
  training.step();
  training.step();
  return training.weights();
}

class Allocation : public testing::TestWithParam<std::tuple<Method, Refusal>> {};

TEST_P(Allocation, EachRefusalLeavesAStepThatCanBeTakenAgain) {
  const auto [method, refusal] = GetParam();
  const std::vector<Scalar> expected = after_two_steps(method);
  Index n = 1;
  while (!HasFailure() && expect_clean_failure(method, n, refusal, expected)) ++n;
  EXPECT_GT(n, 300) << "requests of one step";
  RecordProperty("requests", static_cast<int>(n - 1));
}

INSTANTIATE_TEST_SUITE_P(Steps, Allocation,
                         testing::Combine(testing::Values(Method::kAdamW, Method::kSgd),
                                          testing::Values(Refusal::kOne, Refusal::kOnward)));

}  // namespace
}  // namespace vitro::test
