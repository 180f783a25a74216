// The random programs are what they claim: complete, the same each time, and able to fail.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensor/parallel.h"

#include "tests/random_programs/builder.h"
#include "tests/random_programs/check.h"
#include "tests/random_programs/operations.h"
#include "tests/random_programs/run.h"
#include "tests/support/menu.h"

namespace vitro::programs {
namespace {

constexpr std::uint64_t kDefaultCount = 300;

std::set<std::string> rows() {
  std::set<std::string> names;
  for (const Operation& operation : operations()) names.insert(operation.declared);
  return names;
}

// None is left out, so there is no list of exceptions.
TEST(RandomPrograms, EveryOperationOfTheMenuTakesPart) {
  EXPECT_EQ(rows(), testing_support::declared_functions(testing_support::menu()));
}

TEST(RandomPrograms, EveryOperationOccursInTheFirst300) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kDefaultCount; ++seed) {
    for (const Step& step : make_program(seed).steps) {
      if (!step.is_leaf())
        seen.insert(operations()[static_cast<std::size_t>(step.operation)].declared);
    }
  }
  EXPECT_EQ(seen, rows());
}

TEST(RandomPrograms, ASeedMakesOneProgram) {
  std::set<std::uint64_t> fingerprints;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(listing(make_program(seed)), listing(make_program(seed)));
    EXPECT_EQ(fingerprint(make_program(seed)), fingerprint(make_program(seed)));
    fingerprints.insert(fingerprint(make_program(seed)));
  }
  EXPECT_EQ(fingerprints.size(), 100u);
}

// What a report shows as the shortest beginning that fails is the beginning.
TEST(RandomPrograms, FewerOperationsMakeTheSameBeginning) {
  const Program whole = make_program(7);
  const Program part = make_program(7, 2);
  ASSERT_LT(part.steps.size(), whole.steps.size());
  EXPECT_EQ(part.steps[2].operation, whole.steps[2].operation);
  EXPECT_EQ(part.steps[0].leaf.values, whole.steps[0].leaf.values);
}

// How far the numbers of each step leave the range that it was given.
void expect_in_range(std::uint64_t seed) {
  const Program program = make_program(seed);
  const Outcome outcome = run(program, {.history = History::kNone});
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.hidden || step.is_leaf()) continue;
    const double slack = 1e-4 * std::max(1.0, step.range.size());  // for rounding
    for (const Scalar value : outcome.values[i].to_vector()) {
      const auto number = static_cast<double>(value);
      ASSERT_TRUE(number >= step.range.low - slack && number <= step.range.high + slack)
          << number << " is outside of " << step.range.low << " … " << step.range.high << ", seed "
          << seed << ": " << operations()[static_cast<std::size_t>(step.operation)].declared;
    }
  }
}

// That no number is near a pole follows from the ranges. In the programs of the two large seeds a
// query that may look at nothing gave 0 where the range began above it, and a root was taken.
TEST(RandomPrograms, NumbersLieInTheRangesThatTheirStepsSay) {
  for (std::uint64_t seed = 0; seed < kDefaultCount; ++seed) expect_in_range(seed);
  for (const std::uint64_t seed : {3015311, 3710147}) expect_in_range(seed);
}

// What the programs are to be made of, in the first thousand.
TEST(RandomPrograms, EveryKindOfProgramOccurs) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::map<int, int> uses;
    for (const Step& step : make_program(seed).steps) {
      const auto& sizes = step.shape;
      seen["an axis of 0"] += std::count(sizes.begin(), sizes.end(), 0) > 0 ? 1 : 0;
      seen["an axis of 1"] += std::count(sizes.begin(), sizes.end(), 1) > 0 ? 1 : 0;
      seen["rank 0"] += sizes.rank() == 0 ? 1 : 0;
      seen["rank 5"] += sizes.rank() == 5 ? 1 : 0;
      seen["above every grain"] += sizes.element_count() > 16'384 ? 1 : 0;
      seen["NoGrad"] += step.no_grad ? 1 : 0;
      seen["layout " + std::to_string(static_cast<int>(step.leaf.layout))] += 1;
      for (const int input : step.inputs) seen["used again"] += uses[input]++ > 0 ? 1 : 0;
    }
  }
  for (const auto& [kind, count] : seen) EXPECT_GT(count, 0) << kind;
  EXPECT_EQ(seen.size(), 11u);
}

// How many programs a fault needs: the gradient of an operation's first input × 0.99, in every
// operation. Those through which no gradient flows in a program are passed over there.
TEST(RandomPrograms, OnePerCentOfAnyGradientIsFoundWithin300) {
  set_num_threads(1);
  for (const Operation& operation : operations()) {
    const int row = operation_number(operation.declared);
    std::uint64_t seed = 0;
    for (; seed < kDefaultCount; ++seed) {
      const Program program = make_program(seed);
      const auto is_it = [row](const Step& step) { return step.operation == row; };
      const bool occurs = std::any_of(program.steps.begin(), program.steps.end(), is_it);
      const std::string fault = occurs ? check(program, row).fault : "";
      ASSERT_TRUE(fault.empty() || fault.find("gradient of parameter") != std::string::npos)
          << fault;
      if (!fault.empty()) break;
    }
    EXPECT_LT(seed, kDefaultCount) << operation.declared;
    std::printf("%3d programs  %s\n", static_cast<int>(seed + 1), operation.declared.c_str());
  }
}

TEST(RandomPrograms, AReportShowsTheProgramAndAShorterOne) {
  const int row = operation_number("operator*(a, b)");
  const Program program = make_program(3);
  const std::string fault = check(program, row).fault;
  ASSERT_NE(fault, "");
  const std::string text = report(program, fault, row);
  EXPECT_TRUE(text.starts_with("seed 3, ")) << text;
  EXPECT_NE(text.find(listing(program)), std::string::npos) << text;
  EXPECT_NE(text.find("its first 1 operations: "), std::string::npos) << text;
  EXPECT_NE(text.find(", expected "), std::string::npos) << text;
}

TEST(RandomPrograms, OneBitIsADifference) {
  const Outcome outcome = run(make_program(5));
  EXPECT_EQ(bit_difference(outcome, outcome, "twice"), "");
  Outcome other = outcome;
  const Scalar loss = outcome.values.back().item();
  const Scalar next = std::nextafter(loss, Scalar(1e9));
  other.values.back().fill(next);
  EXPECT_NE(bit_difference(outcome, other, "one bit apart"), "");
}

}  // namespace
}  // namespace vitro::programs
