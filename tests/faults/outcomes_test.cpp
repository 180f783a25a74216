// What else must survive memory that is refused: files on disk, weights that are being replaced, a
// text that is being written, a recording. At each request in turn.
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

#include "tensor/context.h"
#include "tensor/parallel.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"
#include "autograd/trace.h"

#include "nn/checkpoint.h"
#include "nn/models/generate.h"
#include "nn/optim/adam.h"
#include "nn/weights.h"

#include "tests/faults/failing_new.h"
#include "tests/nn/nn_support.h"
#include "tests/support/files.h"

namespace vitro::test {
namespace {

using Folder = testing_support::TemporaryFolder;

// Runs `action` with its first, second, … request refused, and where they are thousands with some
// of the later ones, `prepare` before and `check` after each, until it makes fewer; returns the
// last n. `check` hears whether the action failed.
Index refuse_each(Refusal refusal, const std::function<void()>& prepare,
                  const std::function<void()>& action, const std::function<void(bool)>& check) {
  for (Index n = 1; !testing::Test::HasFailure(); n += 1 + n / 2000) {
    SCOPED_TRACE("request " + std::to_string(n));
    prepare();
    bool failed = false;
    {
      const FailingNew failing(n, refusal);
      try {
        action();
      } catch (const std::bad_alloc&) {
        failed = true;
      }
    }
    if (!FailingNew::has_refused()) return n - 1;
    check(failed);
  }
  return 0;
}

class Outcomes : public testing::TestWithParam<Refusal> {
 protected:
  Rng rng_{3};
  nn::Gpt model_{small_gpt(), rng_};
  nn::AdamW optimizer_{nn::decay_groups(model_, Scalar(0.1)), {}};
  const Indices tokens_ = random_tokens({2, 8}, 11, rng_);
  const Folder folder_;

  nn::TrainingState state() { return {model_, optimizer_, rng_}; }

  void train() {
    optimizer_.zero_grad();
    cross_entropy(model_(tokens_), tokens_).backward();
    optimizer_.step();
    rng_.below(10);
  }
};

TEST_P(Outcomes, ACheckpointOnDiskIsTheOldOneOrTheNewOne) {
  const std::string path = folder_.file("checkpoint");
  nn::save_checkpoint(path, state(), 0);
  const std::string old_bytes = read_bytes(path);
  train();
  nn::save_checkpoint(path, state(), 1);
  const std::string new_bytes = read_bytes(path);
  ASSERT_NE(old_bytes, new_bytes);
  const Index requests = refuse_each(
      GetParam(), [&] { write_bytes(path, old_bytes); },
      [&] { nn::save_checkpoint(path, state(), 1); },
      [&](bool failed) {
        EXPECT_EQ(read_bytes(path) == new_bytes, !failed);
        EXPECT_EQ(read_bytes(path) == old_bytes, failed);
        EXPECT_EQ(folder_.entry_count(), 1);
      });
  EXPECT_GT(requests, 100);
}

TEST_P(Outcomes, RestoringChangesAllOrNothing) {
  const std::string start = folder_.file("start");
  const std::string end = folder_.file("end");
  nn::save_checkpoint(start, state(), 0);
  train();
  nn::save_checkpoint(end, state(), 1);
  const std::vector<Scalar> trained = all_values(model_);
  const nn::Checkpoint first = nn::Checkpoint::open(start);
  const nn::Checkpoint last = nn::Checkpoint::open(end);
  const std::string again = folder_.file("again");
  const Index requests = refuse_each(
      GetParam(), [&] { first.restore(state()); }, [&] { last.restore(state()); },
      [&](bool failed) {
        nn::save_checkpoint(again, state(), failed ? 0 : 1);
        EXPECT_EQ(read_bytes(again), read_bytes(failed ? start : end));
      });
  EXPECT_GT(requests, 20);
}

TEST_P(Outcomes, LoadingLeavesTheModelAsItWas) {
  const std::string path = folder_.file("weights");
  nn::save_weights(path, model_);
  const std::vector<Scalar> saved = all_values(model_);
  train();
  const std::vector<Scalar> trained = all_values(model_);
  const std::vector<Variable> parameters = model_.parameters();
  std::vector<Tensor> values;
  for (const Variable& parameter : parameters) values.push_back(parameter.value());
  const auto prepare = [&] {
    for (std::size_t i = 0; i < values.size(); ++i) Variable(parameters[i]).set_value(values[i]);
  };
  const Index requests = refuse_each(
      GetParam(), prepare, [&] { nn::load_weights(path, model_); },
      [&](bool failed) { EXPECT_EQ(all_values(model_), failed ? trained : saved); });
  EXPECT_GT(requests, 20);
}

// 20 tokens with the n-th request for memory refused: where a token fails, it is asked for again.
std::vector<Index> persistent_tokens(nn::Gpt& model, nn::Cache cache, Index n, Refusal refusal) {
  Rng rng(5);
  nn::Generator generator(model, {1, 2, 3}, {}, cache);
  std::vector<Index> tokens;
  tokens.reserve(20);
  {
    const FailingNew failing(n, refusal);
    try {
      while (tokens.size() < 20) tokens.push_back(generator.next(rng));
    } catch (const std::bad_alloc&) {
    }
  }
  while (tokens.size() < 20) tokens.push_back(generator.next(rng));
  return tokens;
}

TEST_P(Outcomes, ATokenThatFailedCanBeAskedForAgain) {
  for (const nn::Cache cache : {nn::Cache::kYes, nn::Cache::kNo}) {
    const std::vector<Index> expected = persistent_tokens(model_, cache, 1 << 30, GetParam());
    Index n = 1;
    do {
      EXPECT_EQ(persistent_tokens(model_, cache, n, GetParam()), expected) << "request " << n;
      n += 1 + n / 50;  // each of the first, then some
    } while (FailingNew::has_refused() && !HasFailure());
    EXPECT_GT(n, 500);
  }
}

TEST_P(Outcomes, ARecordingThatFailsLeavesTheModelUsable) {
  const std::vector<Scalar> before = all_values(model_);
  const Index requests = refuse_each(
      GetParam(), [] {},
      [&] {
        Trace trace;
        cross_entropy(model_(tokens_), tokens_).backward();
        trace.page();
      },
      [&](bool) { EXPECT_EQ(all_values(model_), before); });
  EXPECT_GT(requests, 1000);
  EXPECT_EQ(context().observer, nullptr);
}

// Whoever asks for threads that the system cannot give gets the work done by those there are.
TEST_P(Outcomes, WorkIsDoneWithoutThreads) {
  const Index threads = thread_count();
  Index steps = 0;
  std::vector<Index> done(100, 0);
  const auto work = [&] {
    set_num_threads(3);
    parallel_for(0, 100, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) ++done[static_cast<std::size_t>(i)];
    });
    ++steps;
  };
  const Index requests = refuse_each(
      GetParam(), [] { set_num_threads(1); }, work,
      [&](bool) {
        const Index before = steps;
        work();
        EXPECT_EQ(steps, before + 1);
      });
  EXPECT_GE(requests, 3);
  for (const Index count : done) EXPECT_EQ(count, steps);
  set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(Refusals, Outcomes, testing::Values(Refusal::kOne, Refusal::kOnward));

}  // namespace
}  // namespace vitro::test
