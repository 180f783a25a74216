#include "tensor/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/expect.h"
#include "tests/support/reference.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::kNan;
using test::message_of;
using test::Places;
using test::random_tensor;
using test::Reference;
using test::reference_of;
using test::scattered;

constexpr Scalar kNaN = std::numeric_limits<Scalar>::quiet_NaN();

using Group = std::vector<double>;

double sum_of(const Group& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

double mean_of(const Group& x) { return sum_of(x) / static_cast<double>(x.size()); }

double var_of(const Group& x) {
  double squares = 0;
  for (const double value : x) squares += (value - mean_of(x)) * (value - mean_of(x));
  return squares / static_cast<double>(x.size());
}

double max_of(const Group& x) { return *std::max_element(x.begin(), x.end()); }

struct Reducer {
  const char* name;
  Tensor (*tensor)(const Tensor&, const std::vector<Index>&, KeepAxes);
  double (*group)(const Group&);
};

const Reducer kReducers[] = {
    {"sum", sum, sum_of}, {"mean", mean, mean_of}, {"var", var, var_of}, {"max", max, max_of}};

// Every subset of the axes; no axis at all stands for an empty list, which means all of them.
std::vector<Places> axis_sets(Index rank) {
  std::vector<Places> sets;
  for (Index bits = 0; bits < Index{1} << rank; ++bits) {
    Places axes;
    for (Index axis = 0; axis < rank; ++axis) {
      if ((bits >> axis) % 2 == 1) axes.push_back(axis);
    }
    sets.push_back(axes);
  }
  return sets;
}

Places without(const Places& sizes, const Places& axes) {
  Places kept;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<Index>(i)) == axes.end()) {
      kept.push_back(sizes[i]);
    }
  }
  return kept;
}

void check_all_axes(const Tensor& x) {
  const Reference reference = reference_of(x);
  const std::vector<Places> sets = axis_sets(x.rank());
  for (const Places& axes : sets) {
    const Places meant = axes.empty() ? sets.back() : axes;
    for (const Reducer& reducer : kReducers) {
      SCOPED_TRACE(std::string(reducer.name) + " over " + Shape(axes).to_string() + " of " +
                   x.shape().to_string());
      const Reference expected = folded(reference, meant, reducer.group);
      expect_close(reducer.tensor(x, axes, KeepAxes::kYes), expected, test::kTolerance);
      const Tensor gone = reducer.tensor(x, axes, KeepAxes::kNo);
      expect_close(gone, reshaped(expected, without(reference.sizes, meant)), test::kTolerance);
      Places from_end = meant;
      for (Index& axis : from_end) axis -= x.rank();
      std::reverse(from_end.begin(), from_end.end());
      expect_same_bits(reducer.tensor(x, from_end, KeepAxes::kNo), gone);
      expect_same_bits(reducer.tensor(scattered(x), axes, KeepAxes::kNo), gone);
    }
  }
}

TEST(Reduce, AgreesWithPlainLoopsOverAllSetsOfAxes) {
  Rng rng(41);
  check_all_axes(random_tensor({}, rng));
  check_all_axes(random_tensor({1}, rng));
  check_all_axes(random_tensor({37}, rng));
  check_all_axes(random_tensor({3, 5}, rng));
  check_all_axes(random_tensor({7, 2, 67}, rng));
  check_all_axes(random_tensor({2, 5, 3, 7}, rng));
  check_all_axes(broadcast_to(random_tensor({3, 1}, rng), {2, 3, 5}));
}

TEST(Reduce, WorksAtRank8) {
  Rng rng(43);
  const Tensor x = random_tensor({2, 1, 3, 1, 2, 1, 5, 2}, rng);
  expect_close(sum(x, {0, 2, 6}, KeepAxes::kYes), folded(reference_of(x), {0, 2, 6}, sum_of),
               test::kTolerance);
  expect_close(max(x, {7, 4}, KeepAxes::kYes), folded(reference_of(x), {4, 7}, max_of), 0);
}

TEST(Reduce, OfNothing) {
  expect_equal(sum(Tensor()), {}, {0});
  expect_equal(mean(Tensor()), {}, {kNan});
  expect_equal(var(Tensor()), {}, {kNan});
  expect_equal(sum(zeros({3, 0})), {}, {0});
  expect_equal(sum(zeros({3, 0}), {1}), {3}, {0, 0, 0});
  expect_equal(sum(zeros({3, 0}), {0}, KeepAxes::kYes), {1, 0}, {});
  expect_equal(sum(zeros({0, 2, 3}), {0}), {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_equal(sum(zeros({2, 0, 3}), {0, 1}), {3}, {0, 0, 0});
  expect_equal(mean(zeros({2, 0}), {1}), {2}, {kNan, kNan});
  expect_equal(max(zeros({0, 3}), {1}), {0}, {});
  EXPECT_EQ(argmax(zeros({0, 3}), 1), Indices({0}, {}));
  EXPECT_EQ(message_of<ShapeError>([] {
              max(zeros({2, 0}), {1});
            }),
            "max: nothing to choose from in [2, 0]; every reduced axis must have size 1 or more");
  EXPECT_EQ(
      message_of<ShapeError>([] {
        argmax(zeros({2, 0}), 1);
      }),
      "argmax: nothing to choose from in [2, 0]; every reduced axis must have size 1 or more");
  EXPECT_THROW(max(zeros({0, 0}), {1}), ShapeError);
  EXPECT_THROW(max(Tensor()), ShapeError);
}

TEST(Pitfall, BL80_SumsHaveTheSameBitsForAnyNumberOfThreads) {
  Rng rng(47);
  for (const Shape& shape : {Shape{3, 20011}, Shape{20011, 3}, Shape{31, 41, 67}, Shape{90001}}) {
    const Tensor x = random_tensor(shape, rng);
    for (const Places& axes : axis_sets(x.rank())) {
      const auto reduce = [&] { return mean(x, axes); };
      const Tensor expected = test::with_threads(1, reduce);
      for (const Index threads : {2, 3, 7}) {
        expect_same_bits(test::with_threads(threads, reduce), expected);
      }
    }
  }
}

TEST(Reduce, MaxFindsNaNAndInfinity) {
  for (const Index place : {0, 3, 16, 31, 36}) {
    Tensor x = full({37}, -std::numeric_limits<Scalar>::infinity());
    EXPECT_EQ(max(x).item(), -std::numeric_limits<Scalar>::infinity());
    EXPECT_EQ(argmax(x, 0), Indices({}, {0}));
    x.set({place}, -1e9);
    EXPECT_EQ(max(x).item(), Scalar(-1e9));
    EXPECT_EQ(argmax(x, 0), Indices({}, {place}));
    x.set({place}, kNaN);
    x.set({5}, std::numeric_limits<Scalar>::infinity());
    EXPECT_TRUE(std::isnan(max(x).item()));
    EXPECT_EQ(argmax(x, 0), Indices({}, {place}));
    EXPECT_TRUE(std::isnan(sum(x).item()));
  }
}

TEST(Reduce, ArgmaxTakesTheFirstOfEquals) {
  const Tensor x({2, 3}, {5, 7, 7, 2, 2, 1});
  EXPECT_EQ(argmax(x, 1), Indices({2}, {1, 0}));
  EXPECT_EQ(argmax(x, -2), Indices({3}, {0, 0, 0}));
  EXPECT_EQ(argmax(scattered(x), -1), Indices({2}, {1, 0}));
  EXPECT_EQ(argmax(transpose(x, 0, 1), 0), Indices({2}, {1, 0}));
  EXPECT_THROW(argmax(Tensor({}, {1}), 0), ShapeError);
}

// Documented choice: the whole gradient goes to the first of the largest.
TEST(Pitfall, BL33_MaxGradientAddsUpToOne) {
  expect_equal(max_backward(Tensor({3}, {2, 2, 1}), {}, Tensor({}, {1})), {3}, {1, 0, 0});
  EXPECT_EQ(sum(max_backward(full({70000}, 3), {0}, Tensor({}, {1}))).item(), 1);
}

TEST(Reduce, MaxBackwardFollowsTheAxes) {
  const Tensor x({2, 2, 3}, {1, 9, 2, 8, 3, 4, 5, 5, 6, 0, 7, 7});
  expect_equal(max_backward(x, {0, 2}, Tensor({2}, {10, 20})), {2, 2, 3},
               {0, 10, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0});
  expect_equal(max_backward(scattered(x), {1}, Tensor({2, 1, 3}, {1, 2, 3, 4, 5, 6})), {2, 2, 3},
               {0, 2, 0, 1, 0, 3, 4, 0, 0, 0, 5, 6});
  expect_equal(max_backward(zeros({0, 3}), {1}, zeros({0})), {0, 3}, {});
  EXPECT_EQ(message_of<ShapeError>([&] {
              max_backward(x, {1}, zeros({3, 2}));
            }),
            "max_backward: the gradient is [3, 2], the output is [2, 3]; they must be equal");
}

TEST(Reduce, VarianceTakesTwoPasses) {
  const Tensor x({4}, {40000, 40001, 40002, 40003});
  expect_close(var(x), {}, {1.25}, 1e-4);
}

TEST(Reduce, SumToUndoesBroadcasting) {
  Rng rng(53);
  const Tensor x = random_tensor({2, 3, 5}, rng);
  expect_same_bits(sum_to(x, {2, 3, 5}), x);
  expect_close(sum_to(x, {}), {}, folded(reference_of(x), {0, 1, 2}, sum_of).values);
  expect_close(sum_to(x, {5}), {5}, folded(reference_of(x), {0, 1}, sum_of).values);
  expect_close(sum_to(x, {3, 1}), {3, 1}, folded(reference_of(x), {0, 2}, sum_of).values);
  expect_close(sum_to(scattered(x), {1, 1, 5}), {1, 1, 5},
               folded(reference_of(x), {0, 1}, sum_of).values);
  expect_equal(sum_to(ones({1, 1, 3}), {1, 3}), {1, 3}, {1, 1, 1});
  expect_equal(sum_to(zeros({4, 0}), {4, 1}), {4, 1}, {0, 0, 0, 0});
  EXPECT_EQ(message_of<ShapeError>([&] { sum_to(x, {3}); }),
            "sum_to: [3] does not stretch to [2, 3, 5], so the latter cannot be summed back to it");
}

TEST(Reduce, NamesTheFunctionOfAWrongAxis) {
  const Tensor x = zeros({2, 3});
  for (const Reducer& reducer : kReducers) {
    EXPECT_EQ(
        message_of<ShapeError>([&] { reducer.tensor(x, {2}, KeepAxes::kNo); }),
        std::string(reducer.name) + ": axis 2 is not an axis of [2, 3]; it must be from -2 to 1");
    EXPECT_EQ(message_of<ShapeError>([&] {
                reducer.tensor(x, {1, -1}, KeepAxes::kNo);
              }),
              std::string(reducer.name) + ": axis -1 of [2, 3] is named twice; name it once");
  }
}

}  // namespace
}  // namespace vitro
