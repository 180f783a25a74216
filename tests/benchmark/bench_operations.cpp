// What stands between the products: elementwise functions, softmax, layer norm, cross-entropy; and
// what the bookkeeping of one node costs.
#include <benchmark/benchmark.h>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/loss.h"
#include "tensor/normalize.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/softmax.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

namespace vitro::benchmarks {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

Tensor numbers(const Shape& shape) {
  Rng rng(3);
  return uniform(shape, -3, 3, rng);
}

// Reports elements a second, on one thread.
template <class Operation>
void measure(State& state, const Tensor& x, const Operation& operation) {
  set_num_threads(1);
  for (auto _ : state) DoNotOptimize(operation(x).strided_data());
  state.SetItemsProcessed(state.iterations() * x.element_count());
}

constexpr Index kElements = 768 * 512;  // the hidden layer of configuration c

void add(State& state) {
  const Tensor y = numbers({kElements});
  measure(state, numbers({kElements}), [&](const Tensor& x) { return x + y; });
}

BENCHMARK(add);

void exponential(State& state) {
  measure(state, numbers({kElements}), [](const Tensor& x) { return exp(x); });
}

BENCHMARK(exponential);

void hyperbolic_tangent(State& state) {
  measure(state, numbers({kElements}), [](const Tensor& x) { return tanh(x); });
}

BENCHMARK(hyperbolic_tangent);

void gelu_forward(State& state) {
  measure(state, numbers({kElements}), [](const Tensor& x) { return gelu(x); });
}

BENCHMARK(gelu_forward);

void gelu_back(State& state) {
  const Tensor grad = numbers({kElements});
  measure(state, numbers({kElements}),
          [&](const Tensor& x) { return gelu_backward(x, grad, Gelu::kTanh); });
}

BENCHMARK(gelu_back);

void softmax_rows(State& state) {
  measure(state, numbers({768, state.range(0)}), [](const Tensor& x) { return softmax(x, -1); });
}

BENCHMARK(softmax_rows)->Arg(16)->Arg(65)->Arg(256)->Arg(2048);

void layer_norm_forward(State& state) {
  const Tensor gain = ones({state.range(0)});
  const Tensor bias = zeros({state.range(0)});
  measure(state, numbers({768, state.range(0)}),
          [&](const Tensor& x) { return layer_norm(x, gain, bias, Scalar(1e-5)); });
}

BENCHMARK(layer_norm_forward)->Arg(32)->Arg(128)->Arg(384);

void layer_norm_back(State& state) {
  const Tensor gain = ones({state.range(0)});
  const Tensor bias = zeros({state.range(0)});
  const Tensor grad = numbers({768, state.range(0)});
  const Normalized parts =
      layer_norm_parts(numbers({768, state.range(0)}), gain, bias, Scalar(1e-5));
  measure(state, numbers({768, state.range(0)}),
          [&](const Tensor& x) { return layer_norm_backward(x, gain, parts, grad).x; });
}

BENCHMARK(layer_norm_back)->Arg(32)->Arg(128)->Arg(384);

void cross_entropy_forward(State& state) {
  const Indices targets({768}, std::vector<Index>(768, 3));
  measure(state, numbers({768, state.range(0)}),
          [&](const Tensor& x) { return cross_entropy(x, targets); });
}

BENCHMARK(cross_entropy_forward)->Arg(16)->Arg(65);

// ---- Bookkeeping: an addition of single numbers, over and over ----------------------------------

constexpr Index kChain = 1000;

Variable chain_of_nodes(const Variable& x) {
  Variable y = x;
  for (Index i = 0; i < kChain; ++i) y = y + x;
  return y;
}

void node_without_history(State& state) {
  const NoGrad no_grad;
  const Variable x = parameter(ones({1}));
  for (auto _ : state) DoNotOptimize(chain_of_nodes(x));
  state.SetItemsProcessed(state.iterations() * kChain);
}

BENCHMARK(node_without_history);

void node_forward(State& state) {
  const Variable x = parameter(ones({1}));
  for (auto _ : state) DoNotOptimize(chain_of_nodes(x));
  state.SetItemsProcessed(state.iterations() * kChain);
}

BENCHMARK(node_forward);

void node_forward_and_backward(State& state) {
  const Variable x = parameter(ones({1}));
  for (auto _ : state) {
    chain_of_nodes(x).backward();
    x.zero_grad();
  }
  state.SetItemsProcessed(state.iterations() * kChain);
  state.counters["bytes_of_node"] = sizeof(Node);
}

BENCHMARK(node_forward_and_backward);

}  // namespace
}  // namespace vitro::benchmarks

BENCHMARK_MAIN();
