// Whole training steps: what they learn, that they repeat, and what they cost.
#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/layers/linear.h"
#include "nn/layers/self_attention.h"
#include "nn/models/generate.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/schedule.h"
#include "nn/optim/sgd.h"
#include "nn/text/token_windows.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

// vocab 37, block 19, 2 layers, 3 heads of size 22, with dropout: large enough for threads to share
// the work.
nn::GptOptions trained_gpt() {
  nn::GptOptions options;
  options.vocab_size = 37;
  options.block_size = 19;
  options.layer_count = 2;
  options.head_count = 3;
  options.channels = 66;
  options.dropout = Scalar(0.1);
  options.head = nn::Head::kTied;
  return options;
}

std::vector<Index> some_tokens() {
  Rng rng(2);
  std::vector<Index> tokens{0};
  // cppcheck-suppress containerOutOfBounds ; there is one from the start
  while (tokens.size() < 500) tokens.push_back((tokens.back() * 3 + rng.below(2) + 1) % 37);
  return tokens;
}

// A model, its data and its optimizer, made from a seed.
struct Training {
  Rng rng{11};
  nn::TokenWindows windows{some_tokens(), 19, "the text"};
  nn::Gpt model{trained_gpt(), rng};
  nn::AdamW optimizer{nn::decay_groups(model, Scalar(0.1)), {}};
  Index steps = 0;

  Scalar step() {
    optimizer.set_learning_rate(
        static_cast<Scalar>(nn::warmup_cosine(steps++, {5, 100, 0.003, 0.0003})));
    const nn::Batch batch = windows.random(7, rng);
    optimizer.zero_grad();
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);
    loss.backward();
    nn::clip_grad_norm(optimizer.parameters(), 1);
    optimizer.step();
    return loss.item();
  }
};

struct RunResult {
  std::vector<Scalar> losses;
  std::vector<Scalar> weights;
};

RunResult run_20_steps() {
  Training training;
  RunResult run;
  for (int step = 0; step < 20; ++step) run.losses.push_back(training.step());
  run.weights = all_values(training.model);
  return run;
}

TEST(Training, BL80_TheSameBitsForAnyNumberOfThreads) {
  const RunResult first = with_threads(1, run_20_steps);
  EXPECT_LT(first.losses.back(), first.losses.front() - Scalar(0.1));
  for (const Index threads : {1, 2, 3, 7}) {
    const Index before = handoff_count();
    const RunResult run = with_threads(threads, run_20_steps);
    EXPECT_EQ(handoff_count() > before, threads > 1);
    EXPECT_EQ(run.losses, first.losses) << threads;
    EXPECT_EQ(run.weights, first.weights) << threads;
  }
}

// Five runs of one seed. (The preset tsan runs this under ThreadSanitizer.)
TEST(Training, BL81_TheSameBitsInEveryRun) {
  const RunResult first = with_threads(3, run_20_steps);
  for (int repetition = 1; repetition < 5; ++repetition) {
    const RunResult run = with_threads(3, run_20_steps);
    EXPECT_EQ(run.losses, first.losses);
    EXPECT_EQ(run.weights, first.weights);
  }
}

// A model whose every product is small: 32 channels.
TEST(Training, BL82_ASmallModelIsNeverHandedOver) {
  nn::GptOptions options;
  options.vocab_size = 27;
  options.block_size = 16;
  options.layer_count = 2;
  options.head_count = 4;
  options.channels = 32;
  const Index cores = std::max<Index>(1, std::thread::hardware_concurrency());
  for (const Index threads : {Index{1}, cores, 2 * cores}) {
    const Index handoffs = with_threads(threads, [&] {
      EXPECT_EQ(thread_count(), threads);
      Rng rng(1);
      nn::Gpt model(options, rng);
      nn::AdamW optimizer(nn::decay_groups(model, Scalar(0.1)), {});
      const Indices tokens = random_tokens({1, 16}, 27, rng);
      const Index before = handoff_count();
      cross_entropy(model(tokens), tokens).backward();
      optimizer.step();
      return handoff_count() - before;
    });
    EXPECT_EQ(handoffs, 0) << threads << " threads";
  }
}

TEST(Training, ASteadyStepCopiesNothingInSecretAndAsksForNoMemory) {
  Training training;
  for (int step = 0; step < 3; ++step) training.step();
  const Index copies = detaching_copy_count();
  const Index requests = memory_counts().system_requests;
  const Index nodes = live_node_count();
  const Index bytes = memory_counts().bytes_in_use;
  for (int step = 0; step < 5; ++step) training.step();
  EXPECT_EQ(detaching_copy_count(), copies);
  EXPECT_EQ(memory_counts().system_requests, requests);
  EXPECT_EQ(live_node_count(), nodes);
  EXPECT_EQ(memory_counts().bytes_in_use, bytes);
}

TEST(Training, AGeneratedTokenCopiesNothingInSecret) {
  Training training;
  Rng rng(1);
  nn::generate(training.model, {1, 2, 3}, 20, {}, rng);
  const Index copies = detaching_copy_count();
  const Index requests = memory_counts().system_requests;
  nn::generate(training.model, {1, 2, 3}, 20, {}, rng);
  EXPECT_EQ(detaching_copy_count(), copies);
  EXPECT_EQ(memory_counts().system_requests, requests);
}

TEST(Training, AThousandForwardsWithoutBackwardLeaveNoNodeAlive) {
  Rng rng(3);
  nn::Gpt model(small_gpt(), rng);
  nn::SelfAttention attention(5, 3, 7, rng);
  const Indices tokens = random_tokens({1, 3}, 11, rng);
  const Variable x(random_tensor({3, 5}, rng));
  const Index nodes = live_node_count();
  const Index bytes = memory_counts().bytes_in_use;
  Index inside = 0;
  for (int i = 0; i < 1000; ++i) {
    const Variable loss = cross_entropy(model(tokens), tokens);
    const Variable y = attention(x);
    inside = live_node_count();
  }
  EXPECT_GT(inside, nodes);
  EXPECT_EQ(live_node_count(), nodes);
  EXPECT_EQ(memory_counts().bytes_in_use, bytes);
}

TEST(Training, WithoutGradientsAForwardMakesNoHistory) {
  Rng rng(3);
  nn::Gpt model(small_gpt(), rng);
  const NoGrad no_grad;
  const Index nodes = live_node_count();
  const Variable logits = model(random_tokens({1, 3}, 11, rng));
  EXPECT_EQ(live_node_count(), nodes + 1);
  EXPECT_FALSE(logits.requires_grad());
}

TEST(Training, BL37_GradientsOfMicroBatchesAddUpToThoseOfTheJoinedBatch) {
  Rng rng(4);
  nn::GptOptions options = small_gpt();
  nn::Gpt model(options, rng);
  randomize(model, rng);
  const Indices tokens = random_tokens({4, 8}, 11, rng);
  const Indices targets = random_tokens({4, 8}, 11, rng);
  cross_entropy(model(tokens), targets).backward();
  std::vector<std::vector<Scalar>> joined;
  for (const Variable& parameter : model.parameters()) {
    joined.push_back(parameter.grad().to_vector());
  }
  model.zero_grad();
  for (const auto& [start, length] : {std::pair<Index, Index>{0, 1}, {1, 3}}) {
    const Variable loss =
        cross_entropy(model(narrow(tokens, 0, start, length)), narrow(targets, 0, start, length));
    (loss * (static_cast<Scalar>(length) / 4)).backward();
  }
  const std::vector<Variable> parameters = model.parameters();
  for (std::size_t i = 0; i < joined.size(); ++i) {
    expect_close(parameters[i].grad(), parameters[i].shape(), {joined[i].begin(), joined[i].end()},
                 10 * kTolerance);
  }
}

class Xor : public nn::Layer {
 public:
  explicit Xor(Rng& rng)
      : hidden_(add_module<nn::Linear>("hidden", 2, 5, rng)),
        out_(add_module<nn::Linear>("out", 5, 2, rng)) {}

  Variable forward(const Variable& x) override { return out_(tanh(hidden_(x))); }

 private:
  nn::Linear& hidden_;
  nn::Linear& out_;
};

template <typename MakeOptimizer>
void expect_learns_xor(const MakeOptimizer& make_optimizer) {
  Rng rng(7);
  Xor model(rng);
  const auto optimizer = make_optimizer(model.named_parameters());
  const Variable x(Tensor({4, 2}, {-1, -1, -1, 1, 1, -1, 1, 1}));
  const Indices targets({4}, {0, 1, 1, 0});
  for (int step = 0; step < 400; ++step) {
    optimizer->zero_grad();
    cross_entropy(model(x), targets).backward();
    optimizer->step();
  }
  EXPECT_LT(cross_entropy(model(x), targets).item(), Scalar(0.05));
  EXPECT_EQ(argmax(model(x).value(), 1), targets);
}

TEST(Training, XorIsLearntWithAdam) {
  expect_learns_xor([](const std::vector<nn::NamedParameter>& parameters) {
    nn::AdamOptions options;
    options.learning_rate = Scalar(0.05);
    return std::make_unique<nn::Adam>(parameters, options);
  });
}

TEST(Training, XorIsLearntWithSgdAndMomentum) {
  expect_learns_xor([](const std::vector<nn::NamedParameter>& parameters) {
    nn::SgdOptions options;
    options.learning_rate = Scalar(0.1);
    options.momentum = Scalar(0.9);
    return std::make_unique<nn::Sgd>(parameters, options);
  });
}

TEST(Training, AGptLearnsFromWhatCameBefore) {
  // Each sequence repeats its first token: only attention can know it.
  nn::GptOptions options = small_gpt();
  Rng rng(8);
  nn::Gpt model(options, rng);
  nn::AdamOptions adam;
  adam.learning_rate = Scalar(0.005);
  nn::AdamW optimizer(nn::decay_groups(model, Scalar(0.01)), adam);
  const auto batch_of = [&rng](Index count) {
    std::vector<Index> ids;
    for (Index i = 0; i < count; ++i) {
      const Index first = rng.below(11);
      ids.push_back(first);
      for (int time = 1; time < 8; ++time) ids.push_back(rng.below(11));
      ids.push_back(first);
    }
    return Indices({count, 9}, ids);
  };
  const auto loss_of = [&](const Indices& tokens) {
    std::vector<Index> targets(static_cast<std::size_t>(tokens.size(0) * 8), -100);
    for (std::size_t row = 0; row < targets.size() / 8; ++row) {
      targets[row * 8 + 7] = tokens.values()[row * 9 + 8];
    }
    return cross_entropy(model(narrow(tokens, 1, 0, 8)), Indices({tokens.size(0), 8}, targets));
  };
  for (int step = 0; step < 300; ++step) {
    optimizer.zero_grad();
    loss_of(batch_of(32)).backward();
    optimizer.step();
  }
  model.eval();
  EXPECT_LT(loss_of(batch_of(100)).item(), Scalar(0.2));  // ln 11 = 2.4 without attention
}

}  // namespace
}  // namespace vitro::test
