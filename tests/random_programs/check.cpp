#include "tests/random_programs/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "tests/random_programs/builder.h"

namespace vitro::programs {
namespace {

constexpr const char* kScalarName = sizeof(Scalar) == 4 ? "float" : "double";

// Below this, float runs out of exponents and errors are no longer relative to the result.
constexpr double kTiny = 1e-30;
constexpr double kLoose = 1.0 / 200;

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

double largest(const std::vector<Bounded>& numbers) {
  double result = 0;
  for (const Bounded& number : numbers) result = std::max(result, std::fabs(number.value));
  return result;
}

bool fits(double actual, const Bounded& number) {
  if (actual == number.value) return true;  // also two infinities
  return std::fabs(actual - number.value) <= number.error + kTiny;
}

std::string tensor_difference(const Tensor& actual, const std::vector<Bounded>& numbers,
                              const std::string& what, Tightness& tightness) {
  const std::vector<Scalar> values = actual.to_vector();
  if (values.size() != numbers.size()) {
    return what + ": has shape " + actual.shape().to_string() + ", expected " +
           std::to_string(numbers.size()) + " numbers";
  }
  const double scale = largest(numbers);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    const Bounded& number = numbers[i];
    if (!fits(value, number)) {
      return what + ": number " + std::to_string(i) + " of " + actual.shape().to_string() + " is " +
             digits(value) + ", expected " + digits(number.value) + " ± " + digits(number.error);
    }
    ++tightness.number_count;
    tightness.loose_count += number.error > kLoose * scale + kTiny ? 1 : 0;
    const double distance = std::fabs(value - number.value);
    if (distance > kTiny) {
      tightness.worst_share = std::max(tightness.worst_share, distance / (number.error + kTiny));
    }
  }
  return "";
}

// Widening to double keeps every bit of a float.
bool same_bits(Scalar a, Scalar b) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(a)) ==
         std::bit_cast<std::uint64_t>(static_cast<double>(b));
}

std::string tensors_bit_difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                                   const std::string& what) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::vector<Scalar> left = a[i].to_vector();
    const std::vector<Scalar> right = b[i].to_vector();
    for (std::size_t j = 0; j < left.size(); ++j) {
      if (same_bits(left[j], right[j])) continue;
      return what + " " + std::to_string(i) + ": number " + std::to_string(j) + " is " +
             digits(static_cast<double>(left[j])) + ", and then " +
             digits(static_cast<double>(right[j]));
    }
  }
  return "";
}

// A program that throws fails as well.
Checked check_or_throw(const Program& program, int sabotaged_operation) {
  Checked checked;
  checked.expected = expected(program);
  const Expected& numbers = checked.expected;
  RunOptions options;
  options.sabotaged_operation = sabotaged_operation;
  checked.outcome = run(program, options);
  if (numbers.met_a_kink) checked.fault = "the program is too close to a kink to be compared";
  const auto note = [&checked](const std::string& fault) {
    if (checked.fault.empty()) checked.fault = fault;
  };
  note(difference_from(numbers, checked.outcome, "as it is", checked.tightness));
  options.history = History::kNone;
  note(bit_difference(checked.outcome, run(program, options), "recorded and under a NoGrad"));
  options.history = History::kRecorded;
  options.form = Form::kSpelledOut;
  note(difference_from(numbers, run(program, options), "spelled out", checked.tightness));
  return checked;
}

}  // namespace

void Tightness::add(const Tightness& other) {
  number_count += other.number_count;
  loose_count += other.loose_count;
  worst_share = std::max(worst_share, other.worst_share);
}

std::string difference_from(const Expected& expected, const Outcome& outcome,
                            const std::string& what, Tightness& tightness) {
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const std::string name = what + ": value of %" + std::to_string(i);
    std::string fault = tensor_difference(outcome.values[i], expected.values[i], name, tightness);
    if (!fault.empty()) return fault;
  }
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    const std::string name = what + ": gradient of parameter " + std::to_string(i);
    std::string fault =
        tensor_difference(outcome.gradients[i], expected.gradients[i], name, tightness);
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string bit_difference(const Outcome& a, const Outcome& b, const std::string& what) {
  std::string fault = tensors_bit_difference(a.values, b.values, what + ": value of %");
  if (!fault.empty()) return fault;
  return tensors_bit_difference(a.gradients, b.gradients, what + ": gradient of parameter");
}

Checked check(const Program& program, int sabotaged_operation) {
  try {
    return check_or_throw(program, sabotaged_operation);
  } catch (const std::exception& error) {
    Checked checked;
    checked.fault = std::string("it throws: ") + error.what();
    return checked;
  }
}

std::string report(const Program& program, const std::string& fault, int sabotaged_operation) {
  std::string text = "seed " + std::to_string(program.seed) + ", " + kScalarName + ": " + fault +
                     "\n" + listing(program);
  const Index most = 20;
  for (Index count = 1; count < most; ++count) {
    const Program beginning = make_program(program.seed, count);
    if (beginning.steps.size() >= program.steps.size()) break;
    const std::string same = check(beginning, sabotaged_operation).fault;
    if (same.empty()) continue;
    text += "its first " + std::to_string(count) + " operations: " + same + "\n";
    return text + listing(beginning);
  }
  return text;
}

}  // namespace vitro::programs
