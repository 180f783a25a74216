// Checkpoints: a resumed run is one that never stopped, and nothing damaged is ever half-loaded.
#include "nn/checkpoint.h"

#include <csignal>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <sys/resource.h>

#include "nn/optim/adam.h"
#include "nn/optim/sgd.h"
#include "nn/weights.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

nn::GptOptions dropping_gpt() {
  nn::GptOptions options = small_gpt();
  options.dropout = Scalar(0.2);
  return options;
}

enum class Kind { kAdamW, kSgd };

/// A training run with everything that changes: dropout, moments, a rate that falls, drawn batches.
struct SmallRun {
  explicit SmallRun(Kind kind, std::uint64_t seed = 1) : rng(seed), model(dropping_gpt(), rng) {
    if (kind == Kind::kAdamW) {
      optimizer = std::make_unique<nn::AdamW>(nn::decay_groups(model, Scalar(0.1)),
                                              nn::AdamOptions{.learning_rate = Scalar(0.01)});
    } else {
      optimizer = std::make_unique<nn::Sgd>(
          model.named_parameters(),
          nn::SgdOptions{.learning_rate = Scalar(0.1), .momentum = Scalar(0.9)});
    }
  }

  void step() {
    const Indices tokens = random_tokens({2, 8}, 11, rng);
    const Variable loss = cross_entropy(model(tokens), random_tokens({2, 8}, 11, rng));
    optimizer->zero_grad();
    loss.backward();
    optimizer->step();
    optimizer->set_learning_rate(optimizer->learning_rate() * Scalar(0.97));
  }

  nn::TrainingState state() { return {model, *optimizer, rng}; }

  Rng rng;
  nn::Gpt model;
  std::unique_ptr<nn::Optimizer> optimizer;
};

class Checkpoints : public testing::TestWithParam<Kind> {
 protected:
  TestFolder folder_;
};

TEST_P(Checkpoints, AResumedRunEndsAsOneThatNeverStopped) {
  SmallRun whole(GetParam());
  for (int step = 1; step <= 7; ++step) {
    if (step == 4) nn::save_checkpoint(folder_.file("at3"), whole.state(), 3, {{"note", "half"}});
    whole.step();
  }
  SmallRun resumed(GetParam(), /*seed=*/99);  // everything in it is replaced
  resumed.step();
  const nn::Checkpoint checkpoint = nn::Checkpoint::open(folder_.file("at3"));
  EXPECT_EQ(checkpoint.step(), 3);
  EXPECT_EQ(checkpoint.text("note"), "half");
  checkpoint.restore(resumed.state());
  for (int step = 4; step <= 7; ++step) resumed.step();
  EXPECT_EQ(all_values(resumed.model), all_values(whole.model));
  nn::save_checkpoint(folder_.file("whole"), whole.state(), 7);
  nn::save_checkpoint(folder_.file("resumed"), resumed.state(), 7);
  EXPECT_EQ(read_bytes(folder_.file("resumed")), read_bytes(folder_.file("whole")));
}

// Cut at any length: a clean error, and the run is as it was.
TEST_P(Checkpoints, BL52_CutFilesChangeNothing) {
  SmallRun run(GetParam());
  run.step();
  nn::save_checkpoint(folder_.file("good"), run.state(), 1);
  const std::string bytes = read_bytes(folder_.file("good"));
  run.step();
  nn::save_checkpoint(folder_.file("before"), run.state(), 2);
  for (std::size_t length = 0; length < bytes.size(); length += length < 64 ? 1 : 211) {
    write_bytes(folder_.file("cut"), bytes.substr(0, length));
    EXPECT_THROW(nn::Checkpoint::open(folder_.file("cut")).restore(run.state()), FileError);
  }
  nn::save_checkpoint(folder_.file("after"), run.state(), 2);
  EXPECT_EQ(read_bytes(folder_.file("after")), read_bytes(folder_.file("before")));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Checkpoints, testing::Values(Kind::kAdamW, Kind::kSgd));

class CheckpointErrors : public testing::Test {
 protected:
  void expect_refused(const nn::TrainingState& state, const std::string& says) {
    const auto call = [&] { nn::Checkpoint::open(folder_.file("file")).restore(state); };
    expect_error_contains<std::invalid_argument>(call, says);
  }

  // And everything that a checkpoint holds is as it was.
  void expect_refused_whole(const nn::TrainingState& state, const std::string& says) {
    nn::save_checkpoint(folder_.file("before"), state, 1);
    expect_refused(state, says);
    nn::save_checkpoint(folder_.file("after"), state, 1);
    EXPECT_EQ(read_bytes(folder_.file("after")), read_bytes(folder_.file("before"))) << says;
  }

  TestFolder folder_;
};

TEST_F(CheckpointErrors, WeightsAloneSaySo) {
  SmallRun run(Kind::kAdamW);
  nn::save_weights(folder_.file("file"), run.model);
  expect_refused(run.state(), "it holds weights only");
}

TEST_F(CheckpointErrors, OtherModelsAndOptimizersAreRefusedWhole) {
  SmallRun run(Kind::kAdamW);
  run.step();
  nn::save_checkpoint(folder_.file("file"), run.state(), 1);
  SmallRun other(Kind::kSgd, /*seed=*/2);
  other.step();
  expect_refused_whole(other.state(), "they must be the same");

  Rng rng(2);
  nn::GptOptions options = dropping_gpt();
  options.channels = 6;
  nn::Gpt smaller(options, rng);
  nn::AdamW optimizer(nn::decay_groups(smaller, Scalar(0.1)), {});
  expect_refused_whole({smaller, optimizer, rng}, "it must hold floats");
}

TEST_F(CheckpointErrors, DamagedTextsAreNamedAndRefusedWhole) {
  SmallRun run(Kind::kAdamW);
  nn::save_checkpoint(folder_.file("good"), run.state(), 1);
  const std::string bytes = read_bytes(folder_.file("good"));
  run.step();  // what is half-restored would differ
  const std::string dropout = "generator." + run.model.named_generators().back().name;
  const std::string path = folder_.file("file") + ": ";

  struct Damage {
    std::string good;
    std::string bad;
    std::string says;
  };

  const Damage damages[] = {
      {"\"step\":\"1\"", "\"step\":\"x\"", path + "step is 'x'"},
      {"\"optimizer_steps\":\"0\"", "\"optimizer_steps\":\"-\"", path + "optimizer_steps is '-'"},
      {"\"learning_rate\":\"0.01\"", "\"learning_rate\":\"nan0\"",
       path + "learning_rate is 'nan0'"},
      {"\"generator\":\"", "\"generator\":\"-", path + "generator: Rng::set_state: '-"},
      {"\"" + dropout + "\":\"", "\"" + dropout + "\":\"-",
       path + dropout + ": Rng::set_state: '-"},
  };
  for (const Damage& damage : damages) {
    std::string damaged = bytes;
    const std::size_t at = damaged.find(damage.good);
    ASSERT_NE(at, std::string::npos) << damage.good;
    damaged.replace(at, damage.bad.size(), damage.bad);  // the header keeps its length
    write_bytes(folder_.file("file"), damaged);
    expect_refused_whole(run.state(), damage.says);
  }
}

// Moments that a diverged training left, or that a damaged file holds: weights beside them would
// be lost at the next step.
TEST_F(CheckpointErrors, MomentsThatAreNoneAreRefusedWhole) {
  struct Damage {
    std::size_t kind;
    double number;
    std::string says;
  };

  const Damage damages[] = {{0, kNan, "optimizer.first_moment."},
                            {0, -kInf, "it must be finite"},
                            {1, kInf, "optimizer.second_moment."},
                            {1, -1, "is -1; it must be finite, 0 or more"}};
  for (const Damage& damage : damages) {
    SmallRun run(Kind::kAdamW);
    run.step();
    Tensor& moment = run.optimizer->tensors()[damage.kind].tensors->front();
    moment.set({0, 1}, static_cast<Scalar>(damage.number));
    nn::save_checkpoint(folder_.file("file"), run.state(), 1);
    SmallRun other(Kind::kAdamW, /*seed=*/2);
    other.step();
    expect_refused_whole(other.state(), damage.says);
  }
}

TEST_F(CheckpointErrors, AFirstMomentMayBeNegative) {
  SmallRun run(Kind::kAdamW);
  run.optimizer->tensors()[0].tensors->front().set({0, 1}, -1);
  nn::save_checkpoint(folder_.file("file"), run.state(), 1);
  SmallRun other(Kind::kAdamW, /*seed=*/2);
  nn::Checkpoint::open(folder_.file("file")).restore(other.state());
  EXPECT_EQ(other.optimizer->tensors()[0].tensors->front().at({0, 1}), -1);
}

TEST_F(CheckpointErrors, TextsOfItsOwnAreNotReplaced) {
  SmallRun run(Kind::kAdamW);
  const auto call = [&] {
    nn::save_checkpoint(folder_.file("file"), run.state(), 1, {{"step", "7"}});
  };
  expect_error_contains<std::invalid_argument>(call, "'step' is a text of the checkpoint's own");
}

TEST_F(CheckpointErrors, AFullDiskLeavesTheLastGoodFile) {
  SmallRun run(Kind::kAdamW);
  nn::save_checkpoint(folder_.file("file"), run.state(), 1);
  const std::string before = read_bytes(folder_.file("file"));
  run.step();
  // No file may grow beyond 4,096 bytes: to the program that is a disk without room.
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{4096, limit.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(nn::save_checkpoint(folder_.file("file"), run.state(), 2), FileError);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(read_bytes(folder_.file("file")), before);
  const auto count = std::distance(std::filesystem::directory_iterator(folder_.path()),
                                   std::filesystem::directory_iterator());
  EXPECT_EQ(count, 1) << "something was left behind";
}

}  // namespace
}  // namespace vitro::test
