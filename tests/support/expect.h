// What the tests share: numbers to compute with, ways to compare tensors, a look at error texts.
#pragma once

#include <exception>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <typeinfo>
#include <vector>

#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace vitro::test {

// Doubles, as expectations are; the macros NAN and INFINITY are floats.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

#ifdef VITRO_SCALAR_DOUBLE
inline constexpr double kTolerance = 1e-13;
#else
inline constexpr double kTolerance = 2e-6;
#endif

/// Fails unless x has this shape and each number lies within tolerance · max(1, |expected|) of the
/// expected one. NaN is close to NaN alone, an infinity to itself.
void expect_close(const Tensor& x, const Shape& shape, const std::vector<double>& expected,
                  double tolerance = kTolerance);

/// Fails unless x has this shape and exactly these numbers (0 and -0 count as equal, NaN and NaN).
void expect_equal(const Tensor& x, const Shape& shape, const std::vector<double>& expected);

/// Fails unless both have one shape and the same bits.
void expect_same_bits(const Tensor& a, const Tensor& b);

/// The text of the error that `call` throws. Fails where none, or one of another type, is thrown.
template <typename Exception, typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    EXPECT_STREQ(typeid(error).name(), typeid(Exception).name()) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

template <typename Exception, typename Call>
void expect_error_contains(const Call& call, const std::string& part) {
  const std::string text = message_of<Exception>(call);
  EXPECT_NE(text.find(part), std::string::npos) << "the text is: " << text;
}

/// Numbers from [-1, 1).
Tensor random_tensor(const Shape& shape, Rng& rng);

/// The same shape and numbers, but not contiguous (where an axis is longer than 1): every second
/// entry of memory in which the axes lie in reverse order.
Tensor scattered(const Tensor& x);

/// What `call` returns when that many threads share the work.
template <typename Call>
auto with_threads(Index count, const Call& call) {
  const Index before = thread_count();
  set_num_threads(count);
  const auto result = call();
  set_num_threads(before);
  return result;
}

}  // namespace vitro::test
