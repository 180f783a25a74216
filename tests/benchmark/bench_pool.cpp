// What it costs to hand work to the pool: while its workers still spin after the last job, and
// after a pause in which they have parked.
#include <benchmark/benchmark.h>
#include <chrono>
#include <thread>

#include "tensor/parallel.h"

namespace vitro::benchmarks {
namespace {

using benchmark::State;

void empty_job() {
  parallel_for(0, thread_count(), 1, [](Index begin, Index) { benchmark::DoNotOptimize(begin); });
}

void handoff_to_spinning_workers(State& state) {
  set_num_threads(state.range(0));
  for (auto _ : state) empty_job();
}

BENCHMARK(handoff_to_spinning_workers)->Arg(1)->Arg(2)->UseRealTime();

void handoff_to_parked_workers(State& state) {
  set_num_threads(state.range(0));
  empty_job();
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto start = std::chrono::steady_clock::now();
    empty_job();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
  }
}

BENCHMARK(handoff_to_parked_workers)->Arg(2)->UseManualTime()->Iterations(200);

}  // namespace
}  // namespace vitro::benchmarks

BENCHMARK_MAIN();
