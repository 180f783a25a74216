// 05: the matrix product, five times, each rung of the ladder one idea faster than the last.
//
// Almost all of a transformer's time goes into matrix products. Read
// tensor/kernels/gemm_ladder.cpp beside the output: each rung computes the same numbers, and what
// makes it faster is where it finds them: in memory, in a cache, or in a register.
//
// Takes about two seconds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tensor/kernels/gemm_ladder.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

#include "autograd/ops.h"

#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_main.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "05_matmul_ladder";

using Numbers = std::vector<Scalar>;

Numbers random_numbers(Index count, Rng& rng) {
  Numbers numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(rng.uniform(-1, 1));
  return numbers;
}

Numbers magnitudes(Numbers numbers) {
  for (Scalar& number : numbers) number = std::fabs(number);
  return numbers;
}

/// Two square matrices and what their product should be.
struct Task {
  Task(Index side, Rng& rng)
      : size(side),
        a(random_numbers(side * side, rng)),
        b(random_numbers(side * side, rng)),
        expected(multiply(kernels::gemm_naive, a, b)) {
    // Adding k products in another order changes a sum by at most k roundings of Σ |a·b|.
    const Numbers sums = multiply(kernels::gemm_naive, magnitudes(a), magnitudes(b));
    const Scalar largest_sum = *std::max_element(sums.begin(), sums.end());
    tolerance = static_cast<Scalar>(side) * std::numeric_limits<Scalar>::epsilon() * largest_sum;
  }

  Numbers multiply(kernels::GemmFunction* rung, const Numbers& left, const Numbers& right) const {
    Numbers c(left.size());
    rung(size, size, size, left.data(), right.data(), c.data());
    return c;
  }

  /// The largest difference from the expected product.
  Scalar error_of(const Numbers& c) const {
    Scalar largest = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      largest = std::max(largest, std::fabs(c[i] - expected[i]));
    }
    return largest;
  }

  Index size;
  Numbers a;
  Numbers b;
  Numbers expected;
  Scalar tolerance = 0;
};

/// The best of several runs: what disturbs a run only ever makes it slower.
double best_seconds(const Task& task, kernels::GemmFunction* rung, Index repeats) {
  double best = std::numeric_limits<double>::infinity();
  Numbers c(task.a.size());
  for (Index i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    rung(task.size, task.size, task.size, task.a.data(), task.b.data(), c.data());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

/// Prints one line a rung. Returns whether all of them agree with the first.
bool climb(const Task& task, Index repeats) {
  const double size = static_cast<double>(task.size);
  std::cout << std::left << std::setw(13) << "rung" << std::right << std::setw(12) << "ms"
            << std::setw(12) << "GFLOP/s" << std::setw(12) << "x naive" << std::setw(14)
            << "difference\n";
  double naive_seconds = 0;
  bool all_agree = true;
  for (const kernels::GemmRung& rung : kernels::kGemmLadder) {
    const Scalar error = task.error_of(task.multiply(rung.multiply, task.a, task.b));
    const double seconds = best_seconds(task, rung.multiply, repeats);
    if (naive_seconds == 0) naive_seconds = seconds;
    const bool agrees = error <= task.tolerance;
    all_agree = all_agree && agrees;
    std::cout << std::left << std::setw(13) << rung.name << std::right << std::setw(12)
              << fixed(seconds * 1e3, 3) << std::setw(12)
              << fixed(2 * size * size * size / seconds / 1e9, 1) << std::setw(12)
              << fixed(naive_seconds / seconds, 1) << std::setw(13) << std::scientific
              << std::setprecision(1) << error << std::defaultfloat
              << (agrees ? "\n" : "  TOO FAR\n");
  }
  return all_agree;
}

/// --trace: a page of one product, 4 x 6 by 6 x 5, each cell with the row and the column that it
/// comes from, and of the two products that are its gradients.
void record_product(const std::string& path, Rng& rng) {
  const Variable a = parameter(Tensor({4, 6}, random_numbers(24, rng)), "A");
  const Variable b = parameter(Tensor({6, 5}, random_numbers(30, rng)), "B");
  StepRecording recording(path, {.program = kProgram});
  recording.record(nullptr, [&] { sum(matmul(a, b)).backward(); });
}

int run(int argc, const char* const* argv) {
  Index size = 512;
  Index repeats = 3;
  Index threads = thread_count();
  bool quick = false;
  std::string trace;
  CommandLine line(kProgram, "The matrix product, from three loops to the kernel in use.");
  line.integer("size", size, 1, 4096, "rows and columns of each matrix");
  line.integer("repeats", repeats, 1, 1000, "runs of each rung, of which the best counts");
  line.integer("threads", threads, 1, 1024, "for the rungs that use several");
  line.flag("quick", quick, "small matrices, one run");
  add_trace_option(line, trace);
  if (!line.parse(argc, argv)) return 0;
  if (quick && !line.was_given("size")) size = 96;
  if (quick && !line.was_given("repeats")) repeats = 1;
  check_trace(trace);
  set_num_threads(threads);
  Rng rng(1);
  const Task task(size, rng);
  std::cout << "A · B, both " << size << " x " << size << ", on " << threads
            << (threads == 1 ? " thread\n" : " threads\n");
  const bool all_agree = climb(task, repeats);
  std::cout << (all_agree ? "All rungs agree with the first to within rounding.\n"
                          : "Some rungs differ from the first by more than rounding.\n");
  record_product(trace, rng);
  return all_agree ? 0 : 1;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_main(vitro::examples::kProgram,
                                   [&] { return vitro::examples::run(argc, argv); });
}
