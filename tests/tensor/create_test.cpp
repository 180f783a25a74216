#include "tensor/create.h"

#include <cmath>
#include <limits>

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_equal;
using test::expect_same_bits;
using test::message_of;

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();

TEST(Create, FillsWithWhatIsAsked) {
  expect_equal(zeros({2, 3}), {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_equal(ones({3}), {3}, {1, 1, 1});
  expect_equal(full({}, 7), {}, {7});
  expect_equal(arange(5), {5}, {0, 1, 2, 3, 4});
  expect_equal(identity(3), {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_equal(causal_mask(3), {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1});
}

TEST(Create, MakesNothing) {
  Rng rng(1);
  const std::string before = rng.state();
  expect_equal(zeros({0, 2}), {0, 2}, {});
  expect_equal(arange(0), {0}, {});
  expect_equal(identity(0), {0, 0}, {});
  expect_equal(causal_mask(0), {0, 0}, {});
  expect_equal(uniform({0}, 0, 1, rng), {0}, {});
  expect_equal(normal({3, 0}, 0, 1, rng), {3, 0}, {});
  expect_equal(dropout_scale({0}, 0, rng), {0}, {});
  EXPECT_EQ(rng.state(), before);
}

TEST(Create, NamesWhatIsWrong) {
  Rng rng(1);
  EXPECT_EQ(message_of<std::invalid_argument>([] { arange(-1); }),
            "arange: count is -1; it must be 0 or more");
  EXPECT_EQ(message_of<std::invalid_argument>([] { identity(-1); }),
            "identity: size is -1; it must be 0 or more");
  EXPECT_EQ(message_of<std::invalid_argument>([] { causal_mask(-1); }),
            "causal_mask: time is -1; it must be 0 or more");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { uniform({2}, 1, 0, rng); }),
            "uniform: low is 1, high is 0; low must not be above high, and the distance must be "
            "finite");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { normal({2}, 0, -1, rng); }),
            "normal: mean 0, standard deviation -1; both must be finite, the deviation 0 or more");
  EXPECT_THROW(normal({2}, 0, std::numeric_limits<Scalar>::quiet_NaN(), rng),
               std::invalid_argument);
  for (const Scalar p : {Scalar(1), Scalar(-0.5), std::numeric_limits<Scalar>::quiet_NaN()}) {
    EXPECT_THROW(dropout_scale({2}, p, rng), std::invalid_argument);
  }
  EXPECT_EQ(message_of<std::invalid_argument>([&] { dropout_scale({2}, 1, rng); }),
            "dropout: the probability is 1; it must be from 0 to below 1");
}

// A draw from a range without an end would be repeated for ever.
TEST(Create, UniformRefusesEndlessRanges) {
  Rng rng(1);
  for (const auto& [low, high] :
       {std::pair{-kInfinity, kInfinity}, {Scalar(0), kInfinity}, {-kInfinity, Scalar(0)}}) {
    EXPECT_THROW(uniform({2}, low, high, rng), std::invalid_argument);
    EXPECT_THROW(uniform({0}, low, high, rng), std::invalid_argument);
    EXPECT_THROW(rng.uniform(low, high), std::invalid_argument);
  }
}

TEST(Create, UniformStaysInItsRange) {
  Rng rng(151);
  const Scalar next_up = std::nextafter(Scalar(1), Scalar(2));
  for (const Scalar value : uniform({200}, 1, next_up, rng).to_vector()) EXPECT_EQ(value, 1);
  for (const Scalar value : uniform({3}, 2, 2, rng).to_vector()) EXPECT_EQ(value, 2);
  double sum = 0;
  for (const Scalar value : uniform({20000}, -3, 5, rng).to_vector()) {
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 5);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 20000, 1, 0.08);  // five standard errors
}

TEST(Create, NormalHasItsMoments) {
  Rng rng(157);
  double sum = 0;
  double squares = 0;
  for (const Scalar value : normal({20000}, 3, 2, rng).to_vector()) {
    const double distance = static_cast<double>(value) - 3;
    sum += distance;
    squares += distance * distance;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.071);  // five standard errors each
  EXPECT_NEAR(squares / 20000, 4, 0.2);
  expect_equal(normal({2}, 3, 0, rng), {2}, {3, 3});
}

TEST(Pitfall, BL78_DropoutFollowsItsSeed) {
  Rng first(7);
  Rng again(7);
  Rng other(8);
  const Tensor scale = dropout_scale({11, 13}, Scalar(0.25), first);
  expect_same_bits(dropout_scale({11, 13}, Scalar(0.25), again), scale);
  EXPECT_NE(dropout_scale({11, 13}, Scalar(0.25), other).to_vector(), scale.to_vector());
  for (const Scalar value : scale.to_vector()) {
    EXPECT_TRUE(value == 0 || value == 1 / (1 - Scalar(0.25)));
  }
  expect_equal(dropout_scale({3}, 0, first), {3}, {1, 1, 1});
}

TEST(Pitfall, BL79_DropoutMaskOfSeed123) {
  Rng rng(123);
  expect_equal(dropout_scale({6, 6}, Scalar(0.5), rng), {6, 6},
               {2, 2, 2, 2, 0, 2, 2, 2, 2, 2, 2, 2, 2, 0, 2, 0, 0, 0,
                2, 2, 2, 2, 0, 0, 0, 2, 0, 2, 2, 2, 2, 2, 0, 0, 2, 2});
}

TEST(Normal, RefusesWhatIsNotFinite) {
  Rng rng(1);
  const auto bad = static_cast<Scalar>(test::kInf);
  EXPECT_THROW(normal({2}, 0, bad, rng), std::invalid_argument);
  EXPECT_THROW(normal({2}, bad, 1, rng), std::invalid_argument);
  EXPECT_THROW(normal({2}, static_cast<Scalar>(test::kNan), 1, rng), std::invalid_argument);
}

}  // namespace
}  // namespace vitro
