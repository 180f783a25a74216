#include "tensor/matmul.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

#include "tests/support/expect.h"
#include "tests/support/reference.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::expect_same_bits;
using test::kInf;
using test::kNan;
using test::message_of;
using test::random_tensor;
using test::reference_of;
using test::scattered;

constexpr double kProductTolerance = 20 * test::kTolerance;

Tensor transposed_in_memory(const Tensor& x) {
  return transpose(contiguous(transpose(x, -1, -2)), -1, -2);
}

void check_layouts(const Shape& shape_a, const Shape& shape_b, Rng& rng) {
  SCOPED_TRACE(shape_a.to_string() + " times " + shape_b.to_string());
  const Tensor a = random_tensor(shape_a, rng);
  const Tensor b = random_tensor(shape_b, rng);
  const Tensor product = matmul(a, b);
  expect_close(product, multiplied(reference_of(a), reference_of(b)), kProductTolerance);
  for (const Tensor& seen_a : {a, transposed_in_memory(a), scattered(a)}) {
    for (const Tensor& seen_b : {b, transposed_in_memory(b), scattered(b)}) {
      expect_same_bits(matmul(seen_a, seen_b), product);
    }
  }
}

TEST(Matmul, AgreesWithPlainLoopsInEveryLayout) {
  Rng rng(59);
  for (const Index m : {1, 2, 13, 37}) {
    for (const Index k : {1, 3, 17}) {
      for (const Index n : {1, 5, 19, 67}) check_layouts({m, k}, {k, n}, rng);
    }
  }
}

TEST(Matmul, StretchesTheBatch) {
  Rng rng(61);
  check_layouts({2, 3, 5, 7}, {7, 11}, rng);
  check_layouts({5, 7}, {2, 3, 7, 11}, rng);
  check_layouts({2, 1, 5, 7}, {3, 7, 11}, rng);
  check_layouts({3, 5, 7}, {3, 7, 11}, rng);
  check_layouts({1, 1, 1}, {5, 1, 1}, rng);
  check_layouts({2, 1, 2, 1, 2, 1, 3, 2}, {1, 3, 1, 1, 2, 2, 2, 5}, rng);
}

TEST(Matmul, ReadsBroadcastViewsWhereTheyLie) {
  Rng rng(67);
  const Tensor row = random_tensor({1, 7}, rng);
  const Tensor b = random_tensor({7, 3}, rng);
  expect_same_bits(matmul(broadcast_to(row, {5, 7}), b),
                   matmul(contiguous(broadcast_to(row, {5, 7})), b));
  const Tensor batch = broadcast_to(b, {2, 7, 3});
  expect_same_bits(matmul(row, batch), matmul(row, contiguous(batch)));
}

TEST(Pitfall, BL82_SmallProductsAreNotHandedOver) {
  Rng rng(82);
  const Tensor a = random_tensor({32, 32}, rng);
  const Index cores = std::max<Index>(1, std::thread::hardware_concurrency());
  for (const Index threads : {Index{1}, cores, 2 * cores}) {
    const Index handoffs = test::with_threads(threads, [&] {
      EXPECT_EQ(thread_count(), threads);
      const Index before = handoff_count();
      matmul(a, a);
      linear(a, a, zeros({32}));
      return handoff_count() - before;
    });
    EXPECT_EQ(handoffs, 0) << threads << " threads";
  }
}

TEST(Pitfall, BL31_MatmulZeroSizes) {
  full({3, 4}, 7);  // its memory is what the next tensor of this size gets
  expect_equal(matmul(ones({3, 4}), ones({4, 0})), {3, 0}, {});
  expect_equal(matmul(ones({3, 0}), ones({0, 4})), {3, 4}, std::vector<double>(12, 0));
  expect_equal(matmul(ones({0, 3}), ones({3, 4})), {0, 4}, {});
  full({37, 9001}, 7);  // the same for a product that is cut into blocks
  expect_equal(matmul(ones({37, 0}), ones({0, 9001})), {37, 9001},
               std::vector<double>(std::size_t(37 * 9001), 0));
  expect_equal(matmul(ones({2, 3, 0}), ones({2, 0, 1})), {2, 3, 1}, std::vector<double>(6, 0));
  expect_equal(matmul(ones({0, 3, 4}), ones({4, 5})), {0, 3, 5}, {});
  expect_equal(matmul(ones({0, 3, 4}), ones({1, 4, 5})), {0, 3, 5}, {});
  expect_equal(matmul(unsqueeze(Tensor(), 0), ones({0, 2})), {1, 2}, {0, 0});
  expect_equal(sum_to(zeros({4, 0}) + zeros({4, 1}), {4, 1}), {4, 1}, {0, 0, 0, 0});
}

TEST(Matmul, CarriesNaNAndInfinity) {
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Tensor a({2, 2}, {0, 1, 1, 1});
  const Tensor b({2, 2}, {infinity, 1, 2, std::numeric_limits<Scalar>::quiet_NaN()});
  expect_equal(matmul(a, b), {2, 2}, {kNan, kNan, kInf, kNan});
}

TEST(Matmul, HasTheSameBitsForAnyNumberOfThreads) {
  Rng rng(71);
  const Tensor a = random_tensor({3, 67, 101}, rng);
  const Tensor b = random_tensor({3, 101, 131}, rng);
  const Tensor w = random_tensor({101, 131}, rng);
  const auto products = [&] { return matmul(a, b) + matmul(a, w); };
  const Tensor expected = test::with_threads(1, products);
  for (const Index threads : {2, 3, 7}) {
    expect_same_bits(test::with_threads(threads, products), expected);
  }
  // Nor does it matter whether a row comes alone or in a batch.
  expect_same_bits(matmul(narrow(narrow(a, 0, 1, 1), 1, 5, 1), w),
                   narrow(narrow(matmul(a, w), 0, 1, 1), 1, 5, 1));
}

TEST(Matmul, NamesWhatDoesNotFit) {
  EXPECT_EQ(message_of<ShapeError>([] {
              matmul(zeros({2, 3}), zeros({4, 5}));
            }),
            "matmul: inner sizes differ: a is [2, 3], b is [4, 5]; the last size of a (3) must "
            "equal the second to last of b (4)");
  EXPECT_EQ(message_of<ShapeError>([] {
              matmul(zeros({3}), zeros({3, 5}));
            }),
            "matmul: a is [3], b is [3, 5]; both need at least 2 axes");
  EXPECT_THROW(matmul(Tensor({}, {1}), Tensor({}, {1})), ShapeError);
  EXPECT_EQ(
      message_of<ShapeError>([] {
        matmul(zeros({2, 3, 5}), zeros({4, 5, 7}));
      }),
      "matmul: outer sizes differ: a is [2, 3, 5], b is [4, 5, 7]; axis -3 has sizes 2 and 4, "
      "which must be equal or one of them 1");
}

// ---- linear ------------------------------------------------------------------------------------

TEST(Linear, HasTheBitsOfMatmulAndAdd) {
  Rng rng(73);
  const Tensor w = random_tensor({13, 19}, rng);
  const Tensor bias = random_tensor({19}, rng);
  for (const Shape& outer :
       {Shape{}, Shape{1}, Shape{7}, Shape{2, 3, 5}, Shape{2, 0}, Shape{131}}) {
    const Tensor x = random_tensor(outer.with_axis_inserted(outer.rank(), 13), rng);
    const Tensor residual = random_tensor(outer.with_axis_inserted(outer.rank(), 19), rng);
    const Tensor rows = x.rank() == 1 ? unsqueeze(x, 0) : x;
    const Tensor product = reshape(matmul(rows, w) + bias, residual.shape().sizes());
    expect_same_bits(linear(x, w, bias), product);
    expect_same_bits(linear(x, w, bias, residual), product + residual);
    expect_same_bits(linear(scattered(x), transposed_in_memory(w), scattered(bias)), product);
    expect_same_bits(linear(scattered(x), scattered(w), bias, scattered(residual)),
                     product + residual);
  }
}

TEST(Linear, TakesZeroSizes) {
  const Tensor bias({3}, {1, 2, 3});
  expect_equal(linear(zeros({2, 0}), zeros({0, 3}), bias), {2, 3}, {1, 2, 3, 1, 2, 3});
  expect_equal(linear(zeros({1, 0}), zeros({0, 3}), bias, ones({1, 3})), {1, 3}, {2, 3, 4});
  expect_equal(linear(zeros({2, 5}), zeros({5, 0}), zeros({0})), {2, 0}, {});
  expect_equal(linear(Tensor(), zeros({0, 3}), bias), {3}, {1, 2, 3});
}

TEST(Linear, NamesWhatDoesNotFit) {
  const Tensor w = zeros({3, 5});
  EXPECT_EQ(message_of<ShapeError>([&] {
              linear(zeros({2, 4}), w, zeros({5}));
            }),
            "linear: x is [2, 4], w is [3, 5]; the last size of x must equal the first of w (3)");
  EXPECT_EQ(message_of<ShapeError>([&] {
              linear(zeros({2, 3}), w, zeros({1, 5}));
            }),
            "linear: bias is [1, 5], w is [3, 5]; the bias must be [5]");
  EXPECT_EQ(message_of<ShapeError>([&] {
              linear(zeros({2, 3}), zeros({3}), zeros({5}));
            }),
            "linear: w is [3]; it must be [in, out]");
  EXPECT_EQ(message_of<ShapeError>([&] {
              linear(zeros({2, 3}), w, zeros({5}), zeros({5}));
            }),
            "linear: the residual is [5], the result is [2, 5]; they must be equal");
  EXPECT_THROW(linear(Tensor({}, {1}), w, zeros({5})), ShapeError);
}

}  // namespace
}  // namespace vitro
