// Random programs: graphs of the library's operations, made from a seed, run in every way there is
// and compared. See program.h for what a program is, tape.h for how much two runs may differ.
//
//   random_programs --first 0 --count 300 --double
//   build/release/tests/random_programs/random_programs_double random_programs --first 4711 --count
//   1 --list
//
// Every seed is run with 1, 2 and 3 threads and without history (the same bits each time), spelled
// out and as it is (within the bounds of the tape), and where the double program is given, next to
// it. Ends with the figures, and with status 0 only where all was well.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/parallel.h"

#include "tests/random_programs/builder.h"
#include "tests/random_programs/check.h"
#include "tests/random_programs/operations.h"
#include "tests/random_programs/stream.h"
#include "tests/support/menu.h"

namespace vitro::programs {
namespace {

// Programs that are run with one number of threads before the number changes.
constexpr Index kBlock = 50;
// So many programs hold every operation.
constexpr Index kComplete = 300;
constexpr int kMostReports = 3;

struct Options {
  std::uint64_t first = 0;
  Index count = kComplete;
  std::string double_program;
  bool stream = false;
  bool list = false;
};

struct Totals {
  Index program_count = 0;
  Index threaded_count = 0;  // programs of which threads shared the work
  int fault_count = 0;
  Tightness tightness;
  std::map<int, Index> uses;  // by the operation's row
};

template <class Number>
Number parse(const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("random_programs: '" + text + "' is no number");
  }
  return number;
}

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--stream") {
      options.stream = true;
    } else if (name == "--list") {
      options.list = true;
    } else if (i + 1 == arguments.size()) {
      throw std::invalid_argument("random_programs: " + name + " is unknown, or lacks its value");
    } else if (name == "--first") {
      options.first = parse<std::uint64_t>(arguments[++i]);
    } else if (name == "--count") {
      options.count = parse<Index>(arguments[++i]);
    } else if (name == "--double") {
      options.double_program = arguments[++i];
    } else {
      throw std::invalid_argument("random_programs: unknown option " + name);
    }
  }
  return options;
}

void tell(Totals& totals, const Program& program, const std::string& fault) {
  if (fault.empty()) return;
  if (++totals.fault_count <= kMostReports) {
    std::fprintf(stderr, "FAULT: %s\n", report(program, fault).c_str());
  }
}

// Everything with one thread, then the same bits with others.
void run_block(const std::vector<Program>& block, const Options& options, Child* child,
               Totals& totals) {
  std::vector<Outcome> outcomes;
  set_num_threads(1);
  for (const Program& program : block) {
    Checked checked = check(program);
    tell(totals, program, checked.fault);
    totals.tightness.add(checked.tightness);
    if (options.stream) write_record(stdout, program, checked.outcome);
    if (child != nullptr && checked.fault.empty()) {
      const Expected numbers = child->read(program, checked.expected);
      tell(totals, program,
           difference_from(numbers, checked.outcome, "beside double", totals.tightness));
    }
    outcomes.push_back(std::move(checked.outcome));
  }
  for (const Index threads : {2, 3}) {
    set_num_threads(threads);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Index before = handoff_count();
      const std::string what = "1 and " + std::to_string(threads) + " threads";
      tell(totals, block[i], bit_difference(outcomes[i], run(block[i]), what));
      if (threads == 2 && handoff_count() > before) ++totals.threaded_count;
    }
  }
}

void count_uses(const Program& program, Totals& totals) {
  ++totals.program_count;
  for (const Step& step : program.steps) {
    if (!step.is_leaf()) ++totals.uses[step.operation];
  }
}

// Operations of autograd/ops.h that never occurred.
std::vector<std::string> missing_operations(const Totals& totals) {
  std::vector<std::string> missing;
  for (const std::string& declared : testing_support::declared_functions(testing_support::menu())) {
    const auto is_it = [&](const auto& use) {
      return operations()[static_cast<std::size_t>(use.first)].declared == declared;
    };
    if (std::none_of(totals.uses.begin(), totals.uses.end(), is_it)) missing.push_back(declared);
  }
  return missing;
}

void print_figures(const Totals& totals, double seconds) {
  std::printf("how often each operation occurred:\n");
  for (const auto& [operation, count] : totals.uses) {
    std::printf("  %9lld  %s\n", static_cast<long long>(count),
                operations()[static_cast<std::size_t>(operation)].declared.c_str());
  }
  std::printf(
      "%lld programs, %d faults; threads shared the work of %lld; %lld numbers compared, the "
      "largest difference %.3f of its bound, %lld bounds above 1/200 of what is around\n",
      static_cast<long long>(totals.program_count), totals.fault_count,
      static_cast<long long>(totals.threaded_count),
      static_cast<long long>(totals.tightness.number_count), totals.tightness.worst_share,
      static_cast<long long>(totals.tightness.loose_count));
  std::printf("%.1f s, %.0f programs a second\n", seconds,
              static_cast<double>(totals.program_count) / seconds);
}

// Whether the whole run was worth something, beyond having found no fault.
bool is_complete(const Totals& totals) {
  if (totals.program_count < kComplete) return true;
  bool complete = true;
  for (const std::string& operation : missing_operations(totals)) {
    std::fprintf(stderr, "FAULT: %s never occurred\n", operation.c_str());
    complete = false;
  }
  if (totals.threaded_count == 0) {
    std::fprintf(stderr, "FAULT: no program was large enough for threads\n");
    complete = false;
  }
  if (totals.tightness.loose_count * 50 > totals.tightness.number_count) {
    std::fprintf(stderr, "FAULT: more than 2 %% of the bounds are too loose to say anything\n");
    complete = false;
  }
  return complete;
}

int run_all(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<Child> child;
  if (!options.double_program.empty()) {
    child = std::make_unique<Child>(options.double_program, options.first, options.count);
  }
  Totals totals;
  for (Index done = 0; done < options.count && totals.fault_count < kMostReports; done += kBlock) {
    std::vector<Program> block;
    for (Index i = done; i < std::min(done + kBlock, options.count); ++i) {
      block.push_back(make_program(options.first + static_cast<std::uint64_t>(i)));
      count_uses(block.back(), totals);
      if (options.list) std::printf("%s\n", listing(block.back()).c_str());
    }
    run_block(block, options, child.get(), totals);
  }
  bool succeeded = totals.fault_count == 0 && is_complete(totals);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!options.stream) print_figures(totals, elapsed.count());
  if (child != nullptr && !child->succeeded()) {
    std::fprintf(stderr, "FAULT: the double program failed\n");
    succeeded = false;
  }
  return succeeded ? 0 : 1;
}

}  // namespace
}  // namespace vitro::programs

int main(int argc, char** argv) {
  try {
    return vitro::programs::run_all(
        vitro::programs::parse_options(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
