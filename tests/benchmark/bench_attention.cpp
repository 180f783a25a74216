// Attention of 6 heads of size 64, forward and backward, as the number of tokens grows: in one pass
// and spelled out. `held_MB` is all memory that tensors needed at once: it grows with time in one
// pass, with time² spelled out.
#include <benchmark/benchmark.h>

#include "tensor/create.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/storage.h"

#include "autograd/ops.h"

namespace vitro::benchmarks {
namespace {

using benchmark::State;

constexpr Index kHeads = 6;
constexpr Index kHeadSize = 64;

Variable heads(Index time, std::uint64_t seed) {
  Rng rng(seed);
  return parameter(normal({kHeads, time, kHeadSize}, 0, 1, rng));
}

template <class Attend>
void measure(State& state, const Attend& attend) {
  set_num_threads(1);
  const Index time = state.range(0);
  const Variable q = heads(time, 1);
  const Variable k = heads(time, 2);
  const Variable v = heads(time, 3);
  const Tensor grad = heads(time, 4).value();
  AttentionMask causal;
  causal.causal = true;
  release_kept_memory();
  for (auto _ : state) {
    attend(q, k, v, causal).backward(grad);
    for (const Variable& x : {q, k, v}) x.zero_grad();
  }
  const MemoryCounts memory = memory_counts();
  state.counters["held_MB"] =
      static_cast<double>(memory.bytes_in_use + memory.bytes_kept) / (1024 * 1024);
  state.SetItemsProcessed(state.iterations() * time);
  state.SetComplexityN(time);
}

void attention_in_one_pass(State& state) {
  measure(state,
          [](const Variable& q, const Variable& k, const Variable& v, const AttentionMask& mask) {
            return scaled_dot_product_attention(q, k, v, mask);
          });
}

BENCHMARK(attention_in_one_pass)->RangeMultiplier(2)->Range(64, 2048)->UseRealTime();

void attention_spelled_out(State& state) {
  measure(state,
          [](const Variable& q, const Variable& k, const Variable& v, const AttentionMask& mask) {
            return matmul(attention_weights(q, k, mask), v);
          });
}

BENCHMARK(attention_spelled_out)->RangeMultiplier(2)->Range(64, 2048)->UseRealTime();

}  // namespace
}  // namespace vitro::benchmarks

BENCHMARK_MAIN();
