// Matrix products: the shapes of the configurations c and d (see train_step.cpp), forward (NN) and
// backward (NT for inputs, TN for weights), small ones, and the batches of attention.
#include <benchmark/benchmark.h>
#include <string>
#include <vector>

#include "tensor/kernels/gemm.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace vitro::benchmarks {
namespace {

struct Product {
  const char* layout;  // N or T for each operand, T: it lies transposed
  Index m;
  Index n;
  Index k;
  Index batch = 1;
};

const std::vector<Product>& products() {
  static const std::vector<Product> all = {
      // c: 768 tokens, width 128
      {"NN", 768, 384, 128},
      {"NN", 768, 128, 128},
      {"NN", 768, 512, 128},
      {"NN", 768, 128, 512},
      {"NT", 768, 65, 128},
      {"NT", 768, 128, 384},
      {"NT", 768, 512, 128},
      {"TN", 128, 384, 768},
      {"TN", 512, 128, 768},
      // d: 2048 tokens, width 384
      {"NN", 2048, 1152, 384},
      {"NN", 2048, 384, 384},
      {"NN", 2048, 1536, 384},
      {"NN", 2048, 384, 1536},
      {"NT", 2048, 384, 1152},
      {"NT", 2048, 1536, 384},
      {"TN", 384, 1152, 2048},
      {"TN", 1536, 384, 2048},
      // small
      {"NN", 16, 16, 16},
      {"NN", 32, 32, 32},
      {"NN", 64, 64, 64},
      {"NN", 1, 512, 128},
      {"NN", 1, 1536, 384},
      // attention: scores and mixtures of c and d
      {"NT", 64, 64, 32, 48},
      {"NN", 64, 32, 64, 48},
      {"NT", 256, 256, 64, 48},
      {"NN", 256, 64, 256, 48},
  };
  return all;
}

std::vector<Scalar> random_numbers(Index count) {
  Rng rng(7);
  std::vector<Scalar> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(rng.uniform(-1, 1));
  return numbers;
}

kernels::MatrixView view(const Scalar* data, char layout, Index rows, Index columns) {
  if (layout == 'T') return {data, 1, rows};
  return {data, columns, 1};
}

void multiply(benchmark::State& state, const Product& p, Index threads) {
  const std::vector<Scalar> a = random_numbers(p.batch * p.m * p.k);
  const std::vector<Scalar> b = random_numbers(p.batch * p.k * p.n);
  std::vector<Scalar> c(static_cast<std::size_t>(p.batch * p.m * p.n));
  const kernels::Gemm product{p.m,
                              p.n,
                              p.k,
                              view(a.data(), p.layout[0], p.m, p.k),
                              view(b.data(), p.layout[1], p.k, p.n),
                              c.data(),
                              p.n};
  std::vector<kernels::GemmOffsets> offsets;
  for (Index i = 0; i < p.batch; ++i)
    offsets.push_back({i * p.m * p.k, i * p.k * p.n, i * p.m * p.n});
  set_num_threads(threads);
  for (auto _ : state) {
    if (p.batch == 1) {
      gemm(product);
    } else {
      gemm_batch(product, offsets);
    }
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  state.counters["FLOP/s"] = Counter(static_cast<double>(2 * p.batch * p.m * p.n * p.k),
                                     Counter::kIsIterationInvariantRate);
}

std::string name_of(const Product& p, Index threads) {
  std::string name = std::string("matmul/") + p.layout;
  for (const Index size : {p.m, p.n, p.k}) name += '/' + std::to_string(size);
  if (p.batch > 1) name += "/batch:" + std::to_string(p.batch);
  return name + "/threads:" + std::to_string(threads);
}

}  // namespace
}  // namespace vitro::benchmarks

int main(int argc, char** argv) {
  using namespace vitro::benchmarks;
  for (const vitro::Index threads : {1, 2}) {
    for (const Product& p : products()) {
      benchmark::RegisterBenchmark(name_of(p, threads).c_str(), [&p,
                                                                 threads](benchmark::State& state) {
        multiply(state, p, threads);
      })->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
