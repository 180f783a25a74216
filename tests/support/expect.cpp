#include "tests/support/expect.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/create.h"
#include "tensor/views.h"

namespace vitro::test {
namespace {

bool is_close(double value, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(value);
  if (value == expected) return true;
  return std::fabs(value - expected) <= tolerance * std::max(1.0, std::fabs(expected));
}

}  // namespace

void expect_close(const Tensor& x, const Shape& shape, const std::vector<double>& expected,
                  double tolerance) {
  ASSERT_EQ(x.shape().to_string(), shape.to_string());
  const std::vector<Scalar> values = x.to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(is_close(static_cast<double>(values[i]), expected[i], tolerance))
        << "element " << i << " of " << shape.to_string() << " is " << values[i] << ", expected "
        << expected[i];
  }
}

void expect_equal(const Tensor& x, const Shape& shape, const std::vector<double>& expected) {
  expect_close(x, shape, expected, 0);
}

void expect_same_bits(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape().to_string(), b.shape().to_string());
  const std::vector<Scalar> bits_a = a.to_vector();
  const std::vector<Scalar> bits_b = b.to_vector();
  for (std::size_t i = 0; i < bits_a.size(); ++i) {
    ASSERT_EQ(std::memcmp(&bits_a[i], &bits_b[i], sizeof(Scalar)), 0)
        << "element " << i << ": " << bits_a[i] << " and " << bits_b[i];
  }
}

Tensor random_tensor(const Shape& shape, Rng& rng) { return uniform(shape, -1, 1, rng); }

Tensor scattered(const Tensor& x) {
  if (x.rank() == 0 || x.rank() == kMaxRank) return x;
  std::vector<Index> reversed;
  for (Index axis = x.rank() - 1; axis >= 0; --axis) reversed.push_back(axis);
  const Tensor turned = unsqueeze(permute(x, reversed), -1);
  // The second of two columns holds the numbers, the first what must never be read.
  Tensor wide = full(turned.shape().with_size(-1, 2), Scalar(-777));
  wide.assign(-1, 1, turned);
  return permute(squeeze(narrow(wide, -1, 1, 1), -1), reversed);
}

}  // namespace vitro::test
