#include "tensor/positions.h"

#include <cmath>
#include <limits>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::message_of;
using test::scattered;

TEST(Pitfall, BL72_SinusoidWithOddWidth) {
  const Tensor table = sinusoidal_positions(3, 5);
  EXPECT_EQ(table.shape(), (Shape{3, 5}));
  expect_equal(narrow(table, 0, 0, 1), {1, 5}, {0, 1, 0, 1, 0});
  expect_equal(sinusoidal_positions(1, 1), {1, 1}, {0});
}

TEST(Pitfall, BL73_SineAndCosineShareTheirFrequency) {
  expect_close(narrow(sinusoidal_positions(2, 4), 0, 1, 1), {1, 4},
               {0.841471, 0.540302, 0.0099998, 0.999950}, 1e-6);
}

TEST(SinusoidalPositions, FollowTheFormula) {
  std::vector<double> expected;
  for (int position = 0; position < 11; ++position) {
    for (int i = 0; i < 7; ++i) {
      const double angle = position / std::pow(10000.0, 2.0 * (i / 2) / 7);
      expected.push_back(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  expect_close(sinusoidal_positions(11, 7), {11, 7}, expected, 1e-7);
  EXPECT_EQ(message_of<std::invalid_argument>([] { sinusoidal_positions(0, 4); }),
            "sinusoidal_positions: length is 0; it must be 1 or more");
  EXPECT_EQ(message_of<std::invalid_argument>([] { sinusoidal_positions(4, -1); }),
            "sinusoidal_positions: width is -1; it must be 1 or more");
}

TEST(AlibiBias, FallsWithDistance) {
  expect_close(alibi_bias(2, 3), {2, 3, 3},
               {0, 0, 0, -0.0625, 0, 0, -0.125, -0.0625, 0,  //
                0, 0, 0, -0.00390625, 0, 0, -0.0078125, -0.00390625, 0});
  EXPECT_EQ(message_of<std::invalid_argument>([] { alibi_bias(0, 3); }),
            "alibi_bias: head_count is 0; it must be 1 or more");
  EXPECT_THROW(alibi_bias(2, 0), std::invalid_argument);
}

TEST(AlibiBias, HasTheRowsOfTheSquareAlone) {
  const Tensor square = alibi_bias(3, 7);
  expect_same_bits(alibi_bias(3, 2, 7), narrow(square, 1, 5, 2));
  expect_same_bits(alibi_bias(3, 7, 2), narrow(square, 2, 5, 2));
  EXPECT_EQ(alibi_bias(3, 0, 7).shape(), (Shape{3, 0, 7}));
  EXPECT_THROW(alibi_bias(0, 2, 7), std::invalid_argument);
  EXPECT_THROW(alibi_bias(3, -1, 7), ShapeError);
}

TEST(Rotary, TurnsPairsByTheirAngle) {
  const Tensor x({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  std::vector<double> expected;
  for (int position = 0; position < 3; ++position) {
    for (int pair = 0; pair < 2; ++pair) {
      const double angle = (2 + position) / std::pow(100.0, 2.0 * pair / 4);
      const double even = 4 * position + 2 * pair + 1;
      expected.push_back(even * std::cos(angle) - (even + 1) * std::sin(angle));
      expected.push_back(even * std::sin(angle) + (even + 1) * std::cos(angle));
    }
  }
  expect_close(rotary(x, 100, 2), {3, 4}, expected);
  expect_same_bits(rotary(scattered(x), 100, 2), rotary(x, 100, 2));
  // The start is what an earlier part of the text took.
  expect_same_bits(narrow(rotary(x), 0, 1, 2), rotary(narrow(x, 0, 1, 2), 10000, 1));
}

TEST(Rotary, TurnsBack) {
  Rng rng(139);
  const Tensor x = test::random_tensor({2, 3, 5, 6}, rng);
  const Tensor there = rotary(x, 10000, 7);
  const std::vector<Scalar> values = x.to_vector();
  expect_close(rotary(there, 10000, 7, Turn::kBack), x.shape(),
               std::vector<double>(values.begin(), values.end()));
  // Lengths stay.
  const std::vector<Scalar> squares = sum(x * x, {-1}).to_vector();
  expect_close(sum(there * there, {-1}), {2, 3, 5},
               std::vector<double>(squares.begin(), squares.end()), 5 * test::kTolerance);
}

// The same token at all positions: q · k depends on the distance alone.
TEST(Pitfall, BL75_ProductsDependOnTheDistance) {
  Rng rng(149);
  const Tensor q = broadcast_to(test::random_tensor({1, 1, 1, 6}, rng), {2, 3, 7, 6});
  const Tensor k = broadcast_to(test::random_tensor({1, 1, 1, 6}, rng), {2, 3, 7, 6});
  const Tensor turned_q = rotary(q);
  const Tensor turned_k = rotary(k);
  for (const Index shift : {1, 4}) {
    const Tensor products =
        sum(narrow(turned_q, 2, shift, 7 - shift) * narrow(turned_k, 2, 0, 7 - shift), {-1});
    const auto first = static_cast<double>(products.at({0, 0, 0}));
    expect_close(products, {2, 3, 7 - shift},
                 std::vector<double>(static_cast<std::size_t>(6 * (7 - shift)), first),
                 5 * test::kTolerance);
  }
  // Time is the last axis but one: turned along another axis, the numbers are others.
  EXPECT_GT(
      sum(greater(transpose(rotary(transpose(q, 1, 2)), 1, 2) - turned_q, full({}, Scalar(0.01))))
          .item(),
      0);
}

// Six columns are three pairs: none is left out, and none comes out as zero.
TEST(Pitfall, BL76_EveryColumnTurns) {
  const Tensor turned = rotary(ones({3, 6}));
  expect_equal(narrow(turned, 0, 0, 1), {1, 6}, {1, 1, 1, 1, 1, 1});
  for (Index time = 1; time < 3; ++time) {
    for (Index column = 0; column < 6; ++column) {
      EXPECT_NE(turned.at({time, column}), 0);
      EXPECT_NE(turned.at({time, column}), 1);
    }
  }
  expect_close(sum(turned * turned, {1}), {3}, {6, 6, 6});
}

TEST(Pitfall, BL76_SizesThatHoldNoPairsAreRefused) {
  EXPECT_EQ(message_of<ShapeError>([] {
              rotary(zeros({3, 5}));
            }),
            "rotary: x is [3, 5]; it must be [.., time, size] with an even size, whose pairs turn");
  EXPECT_THROW(rotary(zeros({4})), ShapeError);
  EXPECT_THROW(rotary(Tensor({}, {1})), ShapeError);
  EXPECT_EQ(message_of<std::invalid_argument>([] {
              rotary(zeros({3, 4}), 0);
            }),
            "rotary: base is 0; it must be a finite number above 0");
  EXPECT_THROW(rotary(zeros({3, 4}), static_cast<Scalar>(test::kNan)), std::invalid_argument);
}

TEST(Rotary, TakesNothing) {
  expect_equal(rotary(zeros({0, 4})), {0, 4}, {});
  expect_equal(rotary(zeros({3, 0})), {3, 0}, {});
  expect_equal(rotary(zeros({2, 0, 3, 4})), {2, 0, 3, 4}, {});
}

TEST(Rotary, RefusesPlacesThatAreNone) {
  const Tensor x = zeros({1, 2});
  for (const Index start :
       {Index{-1}, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()}) {
    EXPECT_THROW(rotary(x, 10000, start), std::invalid_argument) << start;
  }
  EXPECT_THROW(rotary(x, static_cast<Scalar>(test::kInf)), std::invalid_argument);
  const Index last = Index{1} << 50;  // whose sine is still one
  EXPECT_NO_THROW(rotary(x, 10000, last));
  EXPECT_EQ(message_of<std::invalid_argument>([&] { rotary(x, 10000, last + 2); }),
            "rotary: start 1125899906842626 and base 10000 turn x [1, 2] by angles up to "
            "1125899906842626; they must be at most 2^50");
  EXPECT_THROW(rotary(zeros({2, 4}), Scalar(1e-36)), std::invalid_argument);
}

}  // namespace
}  // namespace vitro
