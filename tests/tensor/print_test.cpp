#include "tensor/print.h"

#include <clocale>
#include <limits>
#include <sstream>

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/expect.h"
#include "tests/support/german.h"

namespace vitro {
namespace {

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
constexpr Scalar kNaN = std::numeric_limits<Scalar>::quiet_NaN();

TEST(Print, EveryRank) {
  EXPECT_EQ(to_string(Tensor({}, {Scalar(0.5)})), "Tensor []\n0.5000");
  EXPECT_EQ(to_string(Tensor({3}, {1, -2, 10})), "Tensor [3]\n[ 1, -2, 10]");
  EXPECT_EQ(to_string(Tensor({2, 2}, {Scalar(0.5), Scalar(-1.25), 3, 0})),
            "Tensor [2, 2]\n"
            "[[ 0.5000, -1.2500],\n"
            " [ 3.0000,  0.0000]]");
  EXPECT_EQ(to_string(reshape(arange(12), {2, 3, 2})),
            "Tensor [2, 3, 2]\n"
            "[[[ 0,  1],\n"
            "  [ 2,  3],\n"
            "  [ 4,  5]],\n"
            "\n"
            " [[ 6,  7],\n"
            "  [ 8,  9],\n"
            "  [10, 11]]]");
  EXPECT_EQ(to_string(reshape(arange(4), {2, 1, 2, 1})),
            "Tensor [2, 1, 2, 1]\n"
            "[[[[0],\n"
            "   [1]]],\n"
            "\n"
            "\n"
            " [[[2],\n"
            "   [3]]]]");
  EXPECT_EQ(to_string(full({1, 1, 1, 1, 1, 1, 1, 1}, 7)),
            "Tensor [1, 1, 1, 1, 1, 1, 1, 1]\n[[[[[[[[7]]]]]]]]");
}

TEST(Print, Views) {
  EXPECT_EQ(to_string(transpose(Tensor({1, 2}, {1, 2}), 0, 1)), "Tensor [2, 1]\n[[1],\n [2]]");
  EXPECT_EQ(to_string(broadcast_to(Tensor({}, {3}), {2})), "Tensor [2]\n[3, 3]");
}

TEST(Print, Nothing) {
  EXPECT_EQ(to_string(Tensor()), "Tensor [0]\n[]");
  EXPECT_EQ(to_string(zeros({2, 0})), "Tensor [2, 0]\n[]");
  EXPECT_EQ(to_string(zeros({Index{1} << 50, 0})), "Tensor [1125899906842624, 0]\n[]");
  EXPECT_EQ(to_string(Indices()), "Indices [0]\n[]");
}

TEST(Print, ShortensLongAxes) {
  EXPECT_EQ(to_string(arange(501)), "Tensor [501]\n[  0,   1,   2, ..., 498, 499, 500]");
  EXPECT_EQ(to_string(reshape(arange(12), {4, 3}), {4, 10, 1}),
            "Tensor [4, 3]\n"
            "[[ 0, ...,  2],\n"
            " ...,\n"
            " [ 9, ..., 11]]");
  EXPECT_EQ(to_string(reshape(arange(12), {2, 6}), {4, 10, 2}),
            "Tensor [2, 6]\n"
            "[[ 0,  1, ...,  4,  5],\n"
            " [ 6,  7, ..., 10, 11]]");
  // Only what is shown decides on the form.
  Tensor x = arange(600);
  x.set({300}, Scalar(0.5));
  EXPECT_EQ(to_string(x), "Tensor [600]\n[  0,   1,   2, ..., 597, 598, 599]");
  EXPECT_EQ(to_string(full({500}, 1)).find("..."), std::string::npos);
}

TEST(Print, TakesAnyOptions) {
  EXPECT_EQ(to_string(arange(5), {4, 2, 0}), "Tensor [5]\n[...]");
  EXPECT_EQ(to_string(arange(5), {4, 2, -3}), "Tensor [5]\n[...]");
  EXPECT_EQ(to_string(Tensor({1}, {Scalar(0.75)}), {1, 500, 3}), "Tensor [1]\n[0.8]");
  EXPECT_EQ(to_string(Tensor({1}, {Scalar(0.75)}), {-1, 500, 3}), "Tensor [1]\n[1]");
  EXPECT_EQ(to_string(Indices({3}, {1, 2, 3}), {4, 2, 0}), "Indices [3]\n[...]");
}

TEST(Print, NaNAndInfinity) {
  EXPECT_EQ(to_string(Tensor({4}, {kNaN, kInfinity, -kInfinity, 2})),
            "Tensor [4]\n[ nan,  inf, -inf,    2]");
  EXPECT_EQ(to_string(Tensor({2}, {kNaN, Scalar(0.5)})), "Tensor [2]\n[   nan, 0.5000]");
  EXPECT_EQ(to_string(Tensor({1}, {-kNaN})), "Tensor [1]\n[nan]");
}

TEST(Print, LargeAndSmallNumbers) {
  EXPECT_EQ(to_string(Tensor({2}, {Scalar(0.00025), 0})), "Tensor [2]\n[2.5000e-04, 0.0000e+00]");
  EXPECT_EQ(to_string(Tensor({2}, {Scalar(150000.5), -1})),
            "Tensor [2]\n[ 1.5000e+05, -1.0000e+00]");
  EXPECT_EQ(to_string(Tensor({2}, {Scalar(1e20), 3})), "Tensor [2]\n[1.0000e+20, 3.0000e+00]");
  EXPECT_EQ(to_string(Tensor({1}, {9999999})), "Tensor [1]\n[9999999]");
  EXPECT_EQ(to_string(Tensor({1}, {16777216})), "Tensor [1]\n[1.6777e+07]");
}

TEST(Print, NoNegativeZero) {
  EXPECT_EQ(to_string(Tensor({2}, {Scalar(-0.0), 1})), "Tensor [2]\n[0, 1]");
  EXPECT_EQ(to_string(Tensor({2}, {Scalar(-0.00001), Scalar(0.5)})),
            "Tensor [2]\n[0.0000, 0.5000]");
  EXPECT_EQ(to_string(Tensor({2}, {Scalar(-0.0), Scalar(1e-9)})),
            "Tensor [2]\n[0.0000e+00, 1.0000e-09]");
  EXPECT_EQ(number_text(-0.5, 0), "0");
  EXPECT_EQ(number_text(-1.5, 1), "-1.5");
}

TEST(Print, LargestDoubleFits) {
  const std::string text = number_text(-std::numeric_limits<double>::max(), 1000);
  EXPECT_EQ(text.size(), 1u + 309 + 1 + 40);
}

TEST(Print, IndicesAndShapes) {
  EXPECT_EQ(to_string(Indices({2, 2}, {1, -20, 3, 4})),
            "Indices [2, 2]\n[[  1, -20],\n [  3,   4]]");
  EXPECT_EQ(to_string(Indices({}, {7})), "Indices []\n7");
  std::ostringstream out;
  out << Shape{2, 3} << ' ' << Tensor({1}, {2}) << ' ' << Indices({1}, {3});
  EXPECT_EQ(out.str(), "[2, 3] Tensor [1]\n[2] Indices [1]\n[3]");
}

// What is printed while numbers are German.
std::string printed_in_german() {
  std::ostringstream out;  // of the global locale
  out << Tensor({2}, {Scalar(1234.5), Scalar(0.001)}) << Indices({1}, {1234567}) << Shape{1234567};
  out << number_text(0.001, 3) << " " << test::message_of<std::invalid_argument>([] {
    throw_invalid({"f: ", 1234567, " ", 0.001});
  });
  return out.str();
}

constexpr const char* kPrinted =
    "Tensor [2]\n[1234.5000,    0.0010]Indices [1]\n[1234567][1234567]0.001 f: 1234567 0.001";

TEST(Pitfall, BL84_DecimalCommaOfCxx) {
  const test::GermanLocale german;
  std::ostringstream control;
  control << 1234.5;
  ASSERT_EQ(control.str(), "1.234,5");
  EXPECT_EQ(printed_in_german(), kPrinted);
}

TEST(Pitfall, BL84_DecimalCommaOfC) {
  const test::GermanLocale german;
  if (!german.is_c_german())
    GTEST_SKIP() << "the locale de_DE is not installed: setlocale was NOT tried";
  ASSERT_EQ(std::string(std::localeconv()->decimal_point), ",");
  EXPECT_EQ(printed_in_german(), kPrinted);
}

// Only what is shown is read: here a tensor that no memory holds.
TEST(Print, AHugeViewIsShortened) {
  const Tensor x = broadcast_to(Tensor({2, 1}, {1, 2}), {2, Index{1} << 40});
  EXPECT_EQ(to_string(x, {.edge_entries = 1}),
            "Tensor [2, 1099511627776]\n[[1, ..., 1],\n [2, ..., 2]]");
}

}  // namespace
}  // namespace vitro
