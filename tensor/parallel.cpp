#include "tensor/parallel.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "tensor/error.h"

namespace vitro {
namespace {

constexpr Index kMaxThreads = 1024;

// Waking a parked thread takes about 85 us, a spinning one notices work within 1 us; the gaps
// between the operations of a training step are shorter than this.
constexpr std::chrono::microseconds kSpinTime{100};

// True on a worker, and on a caller while it runs chunks: a parallel_for inside runs in place.
thread_local bool inside_parallel_for = false;

// Spins for kSpinTime, then parks, until `value` is no longer `old`; returns the new value.
template <class T>
T wait_for_change(const std::atomic<T>& value, T old) {
  const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int check = 0; check < 256; ++check) {
      const T now = value.load(std::memory_order_acquire);
      if (now != old) return now;
    }
  } while (std::chrono::steady_clock::now() < deadline);
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

// The workers and the one job they share.
//
// Jobs are numbered. A chunk is claimed by moving its ticket from "free in job j" to "taken in job
// j", so a worker that slept through a job fails to claim, and a claim that succeeds proves that
// its job is still running: only then are the job's fields read. A job thus needs no worker at all
// (the caller claims whatever is left): one that the system does not schedule delays nobody, and
// a forked child, which has no workers, works on alone.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  explicit Pool(Index threads)
      : threads_(threads), chunks_(std::make_unique<Chunk[]>(static_cast<std::size_t>(threads))) {}

  Index threads() const { return threads_; }

  // Runs the job; the caller holds the lock of the only pool. `chunk_count` is at most threads().
  void run(Index begin, Index end, Index chunk_count, detail::ChunkCall call) {
    start_workers();
    begin_ = begin;
    end_ = end;
    chunk_count_ = chunk_count;
    call_ = call;
    unfinished_.store(static_cast<int>(chunk_count), std::memory_order_relaxed);
    const std::uint64_t job = job_.load(std::memory_order_relaxed) + 1;
    for (Index i = 0; i < chunk_count; ++i)
      chunks_[i].ticket.store(free_in(job), std::memory_order_release);
    job_.store(job, std::memory_order_release);
    job_.notify_all();

    work_on(job, /*first=*/0);
    for (int left = unfinished_.load(std::memory_order_acquire); left != 0;)
      left = wait_for_change(unfinished_, left);
    rethrow_first_error();
  }

  // Lets the workers end by themselves; each keeps the pool alive until it has.
  void dismiss() {
    dismissed_.store(true, std::memory_order_relaxed);
    job_.fetch_add(1, std::memory_order_release);
    job_.notify_all();
  }

 private:
  // Each on its own cache line: threads claim their own chunk without disturbing the others.
  struct alignas(64) Chunk {
    std::atomic<std::uint64_t> ticket{0};
    std::exception_ptr error;
  };

  static std::uint64_t free_in(std::uint64_t job) { return 2 * job; }

  static std::uint64_t taken_in(std::uint64_t job) { return 2 * job + 1; }

  // Workers are detached: a program may exit, even from within a body, without waiting for them.
  void start_workers() {
    while (started_ + 1 < threads_) {
      const Index first = started_ + 1;
      try {
        std::thread([self = shared_from_this(), first] { self->serve(first); }).detach();
      } catch (const std::exception&) {  // no more threads, or no memory for one
        return;                          // as many as there are share the chunks
      }
      ++started_;
    }
  }

  void serve(Index first) {
    inside_parallel_for = true;
    for (std::uint64_t job = 0; !dismissed_.load(std::memory_order_relaxed);) {
      job = wait_for_change(job_, job);
      work_on(job, first);
    }
  }

  // Runs chunk `first`, then any other that nobody has claimed.
  void work_on(std::uint64_t job, Index first) {
    for (Index step = 0; step < threads_; ++step) {
      const Index i = (first + step) % threads_;
      std::uint64_t expected = free_in(job);
      if (chunks_[i].ticket.compare_exchange_strong(
              expected, taken_in(job), std::memory_order_acquire, std::memory_order_relaxed))
        run_chunk(i);
    }
  }

  void run_chunk(Index i) {
    const Index size = end_ - begin_;
    try {
      // Cut so that chunk sizes differ by one at most.
      const Index quotient = size / chunk_count_;
      const Index remainder = size % chunk_count_;
      const Index chunk_begin = begin_ + i * quotient + std::min(i, remainder);
      call_.call(call_.body, chunk_begin, chunk_begin + quotient + (i < remainder ? 1 : 0));
    } catch (...) {
      chunks_[i].error = std::current_exception();
    }
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  }

  void rethrow_first_error() {
    std::exception_ptr first;
    for (Index i = chunk_count_ - 1; i >= 0; --i)
      if (chunks_[i].error) first = std::exchange(chunks_[i].error, nullptr);
    if (first) std::rethrow_exception(first);
  }

  const Index threads_;
  Index started_ = 0;
  std::unique_ptr<Chunk[]> chunks_;
  alignas(64) std::atomic<std::uint64_t> job_{0};
  std::atomic<bool> dismissed_{false};
  // The job: written before its tickets are freed, read after one is claimed.
  Index begin_ = 0;
  Index end_ = 0;
  Index chunk_count_ = 0;
  detail::ChunkCall call_{};
  alignas(64) std::atomic<int> unfinished_{0};
};

Index default_thread_count() {
  const char* text = std::getenv("VITRO_NUM_THREADS");
  if (text == nullptr)
    return std::clamp<Index>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  const std::string_view digits(text);
  Index count = 0;
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), count);
  if (error != std::errc{} || stop != digits.end() || count < 1 || count > kMaxThreads) {
    throw_invalid({"thread_count: VITRO_NUM_THREADS is \"", digits,
                   "\"; it must be a whole number from 1 to ", kMaxThreads});
  }
  return count;
}

// The pool in use and what guards it. Never destroyed: workers may outlive main.
struct Shared {
  explicit Shared(Index threads) : pool(std::make_shared<Pool>(threads)) {}

  std::mutex one_job_at_a_time;
  std::shared_ptr<Pool> pool;
  std::atomic<Index> thread_count{pool->threads()};
  std::atomic<Index> handoff_count{0};
};

// `first_count`: how many threads there are if nothing used them yet; 0: as the environment says.
Shared& shared(Index first_count = 0) {
  static Shared& instance =
      *std::make_unique<Shared>(first_count > 0 ? first_count : default_thread_count()).release();
  return instance;
}

struct InsideParallelFor {
  InsideParallelFor() { inside_parallel_for = true; }

  ~InsideParallelFor() { inside_parallel_for = false; }

  InsideParallelFor(const InsideParallelFor&) = delete;
  InsideParallelFor& operator=(const InsideParallelFor&) = delete;
};

}  // namespace

Index thread_count() { return shared().thread_count.load(std::memory_order_relaxed); }

void set_num_threads(Index count) {
  if (count < 1 || count > kMaxThreads) {
    throw_invalid(
        {"set_num_threads: the count is ", count, "; it must be from 1 to ", kMaxThreads});
  }
  if (inside_parallel_for) {
    throw std::logic_error(
        error_text({"set_num_threads: called inside a parallel_for with the count ", count,
                    "; call it before or after"}));
  }
  Shared& state = shared(count);  // which VITRO_NUM_THREADS no longer concerns, sound or not
  const std::lock_guard lock(state.one_job_at_a_time);
  if (count == state.pool->threads()) return;
  state.pool->dismiss();
  state.pool = std::make_shared<Pool>(count);
  state.thread_count.store(count, std::memory_order_relaxed);
}

Index handoff_count() { return shared().handoff_count.load(std::memory_order_relaxed); }

namespace detail {

void refuse_range(Index begin, Index end) {
  throw_invalid({"parallel_for: the range from ", begin, " to ", end,
                 " has too many steps; end - begin must be at most ",
                 std::numeric_limits<Index>::max()});
}

void run_chunks(Index begin, Index end, Index grain, ChunkCall call) {
  const Index size = end - begin;
  grain = std::max<Index>(grain, 1);
  if (size > grain && !inside_parallel_for && thread_count() > 1) {
    Shared& state = shared();
    const std::unique_lock lock(state.one_job_at_a_time, std::try_to_lock);
    if (lock.owns_lock()) {
      const Index chunk_count = std::min(state.pool->threads(), (size - 1) / grain + 1);
      if (chunk_count > 1) {
        const InsideParallelFor guard;
        state.handoff_count.fetch_add(1, std::memory_order_relaxed);
        state.pool->run(begin, end, chunk_count, call);
        return;
      }
    }
  }
  call.call(call.body, begin, end);
}

}  // namespace detail
}  // namespace vitro
