#include "tensor/parallel.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace vitro {
namespace {

class ParallelTest : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(default_threads_); }

  const Index default_threads_ = thread_count();
};

TEST_F(ParallelTest, EveryStepRunsExactlyOnceForAnyThreadCount) {
  for (const Index threads : {1, 2, 3, 7, 40}) {
    set_num_threads(threads);
    EXPECT_EQ(thread_count(), threads);
    for (const Index size : {0, 1, 2, 5, 39, 1009}) {
      std::vector<int> visits(static_cast<std::size_t>(size), 0);
      parallel_for(11, 11 + size, 1, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i - 11)];
      });
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << threads << " threads";
    }
  }
}

TEST_F(ParallelTest, OneContiguousChunkAThreadOfNearlyEqualSize) {
  set_num_threads(3);
  std::mutex mutex;
  std::set<std::pair<Index, Index>> chunks;
  parallel_for(0, 11, 1, [&](Index begin, Index end) {
    const std::lock_guard lock(mutex);
    chunks.emplace(begin, end);
  });
  EXPECT_EQ(chunks, (std::set<std::pair<Index, Index>>{{0, 4}, {4, 8}, {8, 11}}));
}

TEST_F(ParallelTest, AnEmptyOrReversedRangeCallsNothing) {
  parallel_for(5, 5, 1, [](Index, Index) { FAIL(); });
  parallel_for(5, 3, 1, [](Index, Index) { FAIL(); });
}

TEST_F(ParallelTest, ARangeWhoseSizeIsNoIndexIsRefused) {
  constexpr Index kMax = std::numeric_limits<Index>::max();
  EXPECT_THROW(parallel_for(-2, kMax, 1, [](Index, Index) { FAIL(); }), std::invalid_argument);
  EXPECT_THROW(parallel_for(std::numeric_limits<Index>::min(), 0, 1, [](Index, Index) { FAIL(); }),
               std::invalid_argument);
  Index steps = 0;
  parallel_for(-2, kMax - 2, kMax, [&](Index begin, Index end) { steps = end - begin; });
  EXPECT_EQ(steps, kMax);
}

TEST_F(ParallelTest, BL82_SmallWorkRunsInPlaceAndIsNotHandedOver) {
  set_num_threads(4);
  const Index before = handoff_count();
  const auto caller = std::this_thread::get_id();
  Index calls = 0;
  parallel_for(0, 100, 100, [&](Index begin, Index end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(handoff_count(), before);
  parallel_for(0, 101, 100, [](Index, Index) {});
  EXPECT_EQ(handoff_count(), before + 1);
}

TEST_F(ParallelTest, GrainLimitsTheNumberOfChunks) {
  set_num_threads(7);
  std::atomic<int> chunks = 0;
  parallel_for(0, 250, 100, [&](Index, Index) { ++chunks; });
  EXPECT_EQ(chunks, 3);
}

TEST_F(ParallelTest, ANestedLoopRunsInPlaceOnEveryThread) {
  set_num_threads(3);
  std::atomic<int> inner_steps = 0;
  const Index before = handoff_count();
  parallel_for(0, 3, 1, [&](Index, Index) {
    const auto outer = std::this_thread::get_id();
    parallel_for(0, 1000, 1, [&](Index begin, Index end) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      inner_steps += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(inner_steps, 3000);
  EXPECT_EQ(handoff_count(), before + 1);
}

// Both chunks wait until the other has started: ends only if two threads really run.
TEST_F(ParallelTest, ChunksRunAtTheSameTime) {
  set_num_threads(2);
  std::atomic<int> started = 0;
  parallel_for(0, 2, 1, [&](Index, Index) {
    ++started;
    while (started < 2) std::this_thread::yield();
  });
  EXPECT_EQ(started, 2);
}

TEST_F(ParallelTest, ParkedWorkersWakeUpAgain) {
  set_num_threads(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> started = 0;
    parallel_for(0, 2, 1, [&](Index, Index) {
      ++started;
      while (started < 2) std::this_thread::yield();
    });
  }
}

TEST_F(ParallelTest, AnExceptionOfAnyChunkReachesTheCaller) {
  set_num_threads(3);
  for (const Index bad : {0, 1, 2}) {
    std::atomic<int> ended = 0;
    try {
      parallel_for(0, 3, 1, [&](Index begin, Index) {
        ++ended;
        if (begin == bad) throw std::runtime_error("chunk " + std::to_string(begin));
      });
      ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "chunk " + std::to_string(bad));
    }
    EXPECT_EQ(ended, 3);  // the others have ended, so what they refer to may go
  }
  // Of several the first chunk's, and the pool works on.
  try {
    parallel_for(0, 3, 1,
                 [](Index begin, Index) { throw std::runtime_error(std::to_string(begin)); });
    ADD_FAILURE() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
  std::atomic<int> steps = 0;
  parallel_for(0, 3, 1, [&](Index, Index) { ++steps; });
  EXPECT_EQ(steps, 3);
}

TEST_F(ParallelTest, SeveralCallersAtOnceAllGetTheirWorkDone) {
  set_num_threads(3);
  std::atomic<Index> sum = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        parallel_for(0, 10, 1, [&](Index begin, Index end) { sum += end - begin; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 200 * 10);
}

TEST_F(ParallelTest, ManyJobsInARowWithChangingThreadCounts) {
  Index sum = 0;
  for (int round = 0; round < 300; ++round) {
    if (round % 50 == 0) set_num_threads(1 + round % 7);
    std::vector<Index> parts(13, 0);
    parallel_for(0, 13, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) parts[static_cast<std::size_t>(i)] = i;
    });
    for (const Index part : parts) sum += part;
  }
  EXPECT_EQ(sum, 300 * 78);
}

TEST_F(ParallelTest, BadThreadCountsAreRefusedWithTheValue) {
  for (const Index bad : {Index{0}, Index{-3}, Index{1025}}) {
    try {
      set_num_threads(bad);
      ADD_FAILURE() << bad << " accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), "set_num_threads: the count is " + std::to_string(bad) +
                                  "; it must be from 1 to 1024");
    }
  }
  set_num_threads(2);
  EXPECT_THROW(parallel_for(0, 2, 1, [](Index, Index) { set_num_threads(3); }), std::logic_error);
  EXPECT_EQ(thread_count(), 2);
}

TEST_F(ParallelTest, AForkedChildWorksWithoutTheParentsWorkers) {
  set_num_threads(3);
  parallel_for(0, 3, 1, [](Index, Index) {});
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);  // a hang ends as a failure
    Index steps = 0;
    parallel_for(0, 9, 1, [&](Index begin, Index end) { steps += end - begin; });
    set_num_threads(1);
    parallel_for(0, 9, 1, [&](Index begin, Index end) { steps += end - begin; });
    _exit(steps == 18 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Each death test needs a program of its own: the pool and the environment are per process.
class ParallelProcessTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(ParallelProcessTest, ExitInsideABodyEndsTheProgramAtOnce) {
  const auto exit_on_a_worker = [] {
    alarm(10);
    set_num_threads(3);
    parallel_for(0, 3, 1, [](Index begin, Index) {
      if (begin == 1) std::exit(5);
      std::this_thread::sleep_for(std::chrono::seconds(60));
    });
  };
  EXPECT_EXIT(exit_on_a_worker(), ::testing::ExitedWithCode(5), "");
}

TEST_F(ParallelProcessTest, BL82_VitroNumThreadsIsReadAndChecked) {
  const auto print_thread_count = [](const char* value) {
    setenv("VITRO_NUM_THREADS", value, 1);
    try {
      std::fprintf(stderr, "threads: %lld", static_cast<long long>(thread_count()));
    } catch (const std::invalid_argument& error) {
      std::fprintf(stderr, "%s", error.what());
    }
    std::exit(0);
  };
  EXPECT_EXIT(print_thread_count("5"), ::testing::ExitedWithCode(0), "^threads: 5$");
  for (const char* bad : {"0", "-2", "two", "3x", "", " 3", "1025", "99999999999999999999"})
    EXPECT_EXIT(print_thread_count(bad), ::testing::ExitedWithCode(0),
                "thread_count: VITRO_NUM_THREADS is \"" + std::string(bad) +
                    "\"; it must be a whole number from 1 to 1024");
}

TEST_F(ParallelProcessTest, SetNumThreadsNeedsNoSoundVariable) {
  const auto set_and_print = [] {
    setenv("VITRO_NUM_THREADS", "two", 1);
    set_num_threads(3);
    std::fprintf(stderr, "threads: %lld", static_cast<long long>(thread_count()));
    std::exit(0);
  };
  EXPECT_EXIT(set_and_print(), ::testing::ExitedWithCode(0), "^threads: 3$");
}

}  // namespace
}  // namespace vitro
