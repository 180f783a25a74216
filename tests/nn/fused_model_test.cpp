// A whole model: fused and spelled out, on any number of threads, with and without kept weights;
// and what a steady training step asks of the system.
#include <gtest/gtest.h>
#include <malloc.h>
#include <optional>
#include <vector>

#include "tensor/parallel.h"
#include "tensor/reduce.h"
#include "tensor/storage.h"

#include "autograd/ops.h"
#include "autograd/spelled_out.h"

#include "nn/models/gpt.h"
#include "nn/optim/adam.h"

#include "tests/nn/nn_support.h"

namespace vitro {
namespace {

nn::GptOptions model_options() {
  nn::GptOptions options;
  options.vocab_size = 13;
  options.block_size = 37;
  options.layer_count = 2;
  options.head_count = 3;
  options.channels = 33;
  return options;
}

enum class Forms { kFused, kSpelledOut };

// A model in training on random tokens.
class Training {
 public:
  explicit Training(nn::GptOptions options = model_options(), Index batch = 3)
      : rng_(71),
        model_(options, rng_),
        optimizer_({{model_.named_parameters(), Scalar(0.1)}}, {}) {
    for (int i = 0; i < 4; ++i) {
      const Shape shape{batch, options.block_size};
      inputs_.push_back(test::random_tokens(shape, options.vocab_size, rng_));
      targets_.push_back(test::random_tokens(shape, options.vocab_size, rng_));
    }
  }

  double step() {
    const std::size_t i = steps_++ % inputs_.size();
    const Variable loss = cross_entropy(model_(inputs_[i]), targets_[i]);
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    return static_cast<double>(loss.item());
  }

  std::vector<double> steps(int count) {
    std::vector<double> losses;
    for (int i = 0; i < count; ++i) losses.push_back(step());
    return losses;
  }

  nn::Gpt& model() { return model_; }

 private:
  Rng rng_;
  nn::Gpt model_;
  nn::AdamW optimizer_;
  std::vector<Indices> inputs_;
  std::vector<Indices> targets_;
  std::size_t steps_ = 0;
};

std::vector<double> losses(Forms forms, const nn::GptOptions& options) {
  std::optional<SpelledOut> spelled_out;
  if (forms == Forms::kSpelledOut) spelled_out.emplace();
  return Training(options).steps(50);
}

void expect_equal_losses(const nn::GptOptions& options) {
  const std::vector<double> fused = losses(Forms::kFused, options);
  const std::vector<double> spelled_out = losses(Forms::kSpelledOut, options);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_NEAR(fused[i], spelled_out[i], 1e-5 * spelled_out[i]) << "step " << i;
  }
  EXPECT_LT(fused.back(), fused.front());
}

TEST(FusedModel, FiftyStepsHaveTheLossesOfTheSpelledOutForms) {
  expect_equal_losses(model_options());
}

TEST(FusedModel, SoDoOtherPositionsAndNorms) {
  nn::GptOptions rotary = model_options();
  rotary.channels = 30;
  rotary.positions = nn::PositionKind::kRotary;
  expect_equal_losses(rotary);
  nn::GptOptions alibi = model_options();
  alibi.positions = nn::PositionKind::kAlibi;
  alibi.norm_place = nn::NormPlace::kPost;
  alibi.bias = nn::Bias::kNo;
  expect_equal_losses(alibi);
}

TEST(FusedModel, SpelledOutTakesMoreSteps) {
  Training training;
  const auto nodes_of_a_forward = [&] {
    const Index before = live_node_count();
    const Variable logits = training.model()(Indices({1, 5}, {1, 2, 3, 4, 5}));
    return live_node_count() - before;
  };
  const Index fused = nodes_of_a_forward();
  const SpelledOut spelled_out;
  EXPECT_GT(nodes_of_a_forward(), fused + 20);
}

TEST(FusedModel, ThreadsNeverChangeABit) {
  const Index before = thread_count();
  nn::GptOptions options = model_options();
  options.channels = 96;  // large enough to be shared out
  std::vector<std::vector<Scalar>> values;
  for (const Index threads : {1, 2, 3}) {
    set_num_threads(threads);
    const Index handoffs = handoff_count();
    Training training(options, 8);
    training.steps(4);
    EXPECT_EQ(handoff_count() > handoffs, threads > 1);
    values.push_back(test::all_values(training.model()));
  }
  set_num_threads(before);
  EXPECT_EQ(values[1], values[0]);
  EXPECT_EQ(values[2], values[0]);
}

TEST(FusedModel, KeptWeightsNeverChangeABit) {
  Training plain;
  Training watched;
  for (nn::MultiHeadAttention* attention : watched.model().attentions()) attention->keep_weights();
  EXPECT_EQ(watched.steps(5), plain.steps(5));
  EXPECT_EQ(test::all_values(watched.model()), test::all_values(plain.model()));
  const Variable& weights = watched.model().attentions()[1]->weights();
  EXPECT_EQ(weights.shape(), (Shape{3, 3, 37, 37}));
  test::expect_close(sum(weights.value(), {-1}), {3, 3, 37}, std::vector<double>(3 * 3 * 37, 1.0));
}

// Neither our own blocks nor malloc get new memory (brk, mmap) from the system.
TEST(FusedModel, ASteadyStepAsksTheSystemForNothing) {
  const Index before = thread_count();
  set_num_threads(1);
  Training training;
  training.steps(8);
  const Index copies = detaching_copy_count();
  const Index requests = memory_counts().system_requests;
  const auto from_system = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.arena + info.hblkhd;
  };
  const std::size_t bytes = from_system();
  training.steps(20);
  EXPECT_EQ(from_system(), bytes);
  EXPECT_EQ(memory_counts().system_requests, requests);
  EXPECT_EQ(detaching_copy_count(), copies);
  set_num_threads(before);
}

}  // namespace
}  // namespace vitro
