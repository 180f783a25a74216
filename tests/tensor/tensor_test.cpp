#include "tensor/tensor.h"

#include <utility>

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_equal;
using test::message_of;

Tensor small() { return Tensor({2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(Tensor, HoldsTheNumbersItWasGiven) {
  expect_equal(small(), {2, 3}, {1, 2, 3, 4, 5, 6});
  expect_equal(Tensor({}, {7}), {}, {7});
  expect_equal(Tensor(), {0}, {});
  expect_equal(Tensor({3, 0, 5}, {}), {3, 0, 5}, {});
  const std::vector<Scalar> values{3, 1};
  expect_equal(Tensor({2, 1}, values), {2, 1}, {3, 1});
}

TEST(Tensor, RefusesAnotherNumberOfValues) {
  EXPECT_EQ(message_of<ShapeError>([] {
              Tensor({2, 3}, {1, 2});
            }),
            "Tensor: 2 values for shape [2, 3]; it takes 6");
  EXPECT_EQ(message_of<ShapeError>([] { Tensor({0}, std::vector<Scalar>{1}); }),
            "Tensor: 1 values for shape [0]; it takes 0");
}

TEST(Tensor, ReadsOneNumber) {
  EXPECT_EQ(small().at({0, 2}), 3);
  EXPECT_EQ(small().at({-1, -3}), 4);
  EXPECT_EQ(transpose(small(), 0, 1).at({2, 0}), 3);
  EXPECT_EQ(Tensor({}, {7}).at({}), 7);
}

TEST(Tensor, NamesTheIndexThatIsWrong) {
  Tensor x = small();
  EXPECT_EQ(message_of<std::out_of_range>([&] {
              return x.at({1, 3});
            }),
            "at: index 3 for axis 1 of shape [2, 3]; it must be from -3 to 2");
  EXPECT_EQ(message_of<std::out_of_range>([&] {
              x.set({-3, 0}, 1);
            }),
            "set: index -3 for axis 0 of shape [2, 3]; it must be from -2 to 1");
  EXPECT_EQ(message_of<std::out_of_range>([&] { return x.at({1}); }),
            "at: 1 index entries for shape [2, 3]; it takes 2");
  EXPECT_EQ(message_of<std::out_of_range>([&] {
              x.set({0, 0, 0}, 1);
            }),
            "set: 3 index entries for shape [2, 3]; it takes 2");
  EXPECT_EQ(message_of<std::out_of_range>([] { return Tensor().at({0}); }),
            "at: index 0 for axis 0 of shape [0]; the axis has no entries");
  expect_equal(x, {2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST(Tensor, GivesItsOnlyNumber) {
  EXPECT_EQ(Tensor({}, {7}).item(), 7);
  EXPECT_EQ(Tensor({1, 1, 1}, {7}).item(), 7);
  EXPECT_EQ(narrow(narrow(small(), 0, 1, 1), 1, 2, 1).item(), 6);
  EXPECT_EQ(message_of<ShapeError>([] { return small().item(); }),
            "item: a tensor of shape [2, 3] holds 6 numbers; item() is for exactly one");
  EXPECT_THROW(Tensor().item(), ShapeError);
}

TEST(Tensor, DataRefusesGaps) {
  EXPECT_EQ(small().data()[5], 6);
  EXPECT_EQ(message_of<ShapeError>([] { return transpose(small(), 0, 1).data(); }),
            "data: a tensor of shape [3, 2] does not lie in row-major order; "
            "call contiguous(x) first");
  EXPECT_NO_THROW(broadcast_to(Tensor({}, {7}), {1, 1}).data());
  EXPECT_THROW(broadcast_to(Tensor({}, {7}), {2}).data(), ShapeError);
}

TEST(Tensor, AssignAppendsToACacheInPlace) {
  Tensor cache = zeros({2, 5, 3});
  const Scalar* memory = cache.data();
  const Index copies = detaching_copy_count();
  for (Index time = 0; time < 5; ++time) {
    cache.assign(1, time, full({2, 1, 3}, static_cast<Scalar>(time + 1)));
  }
  EXPECT_EQ(cache.data(), memory);
  EXPECT_EQ(detaching_copy_count(), copies);
  for (Index time = 0; time < 5; ++time) EXPECT_EQ(cache.at({1, time, 2}), time + 1);
}

TEST(Tensor, AssignAndAccumulateTakeViews) {
  Tensor x = zeros({3, 2});
  x.assign(0, 0, transpose(small(), 0, 1));
  expect_equal(x, {3, 2}, {1, 4, 2, 5, 3, 6});
  x.accumulate(1, 1, broadcast_to(Tensor({}, {10}), {3, 1}));
  expect_equal(x, {3, 2}, {1, 14, 2, 15, 3, 16});
  x.accumulate(transpose(small(), 0, 1));
  expect_equal(x, {3, 2}, {2, 18, 4, 20, 6, 22});
  x.assign(1, 2, zeros({3, 0}));
  expect_equal(x, {3, 2}, {2, 18, 4, 20, 6, 22});
}

TEST(Tensor, AssignAndAccumulateTakePartsOfThemselves) {
  Tensor x = small();
  x.accumulate(x);
  expect_equal(x, {2, 3}, {2, 4, 6, 8, 10, 12});
  x.assign(0, 0, narrow(x, 0, 1, 1));
  expect_equal(x, {2, 3}, {8, 10, 12, 8, 10, 12});
  Tensor shifted({5}, {1, 2, 3, 4, 5});
  shifted.assign(0, 1, narrow(shifted, 0, 0, 4));
  expect_equal(shifted, {5}, {1, 1, 2, 3, 4});
  Tensor square({2, 2}, {1, 2, 3, 4});
  square.accumulate(transpose(square, 0, 1));
  expect_equal(square, {2, 2}, {2, 5, 5, 8});
}

TEST(Tensor, AssignNamesWhatDoesNotFit) {
  Tensor x = small();
  EXPECT_EQ(message_of<ShapeError>([&] {
              x.assign(1, 0, zeros({3, 1}));
            }),
            "assign: source of shape [3, 1] for a region of axis 1 of [2, 3]; "
            "all other sizes must be equal");
  EXPECT_EQ(message_of<ShapeError>([&] { x.assign(0, 0, zeros({3})); }),
            "assign: source of shape [3] for a region of axis 0 of [2, 3]; "
            "all other sizes must be equal");
  EXPECT_EQ(message_of<std::out_of_range>([&] {
              x.assign(1, 2, zeros({2, 2}));
            }),
            "assign: 2 entries from 2 of axis 1 of [2, 3]; the axis has 3");
  EXPECT_THROW(x.accumulate(1, -1, zeros({2, 2})), std::out_of_range);
  EXPECT_THROW(x.accumulate(2, 0, zeros({2, 2})), ShapeError);
  EXPECT_EQ(message_of<ShapeError>([&] {
              x.accumulate(zeros({3, 2}));
            }),
            "accumulate: source of shape [3, 2] for a tensor of shape [2, 3]; "
            "the shapes must be equal");
  expect_equal(x, {2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST(Tensor, WritesToNothing) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 2, 0}}) {
    Tensor x = zeros(shape);
    x.fill(1);
    x.accumulate(zeros(shape));
    x.assign(0, 0, x);
    x.mutable_data();
    expect_equal(x, shape, {});
  }
  Tensor nothing;
  nothing.fill(1);
  nothing.accumulate(Tensor());
  expect_equal(contiguous(nothing), {0}, {});
}

TEST(Tensor, AMovedFromTensorTakesANewValue) {
  Tensor x = small();
  const Tensor y = std::move(x);
  expect_equal(y, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.strides(), Tensor().strides());  // NOLINT(bugprone-use-after-move)
  x = Tensor({1}, {4});
  expect_equal(x, {1}, {4});
  Tensor& self = x;
  x = self;
  expect_equal(x, {1}, {4});
}

TEST(Tensor, SharesMemoryWithItsCopiesAndViews) {
  const Tensor x = small();
  Tensor copy = x;
  EXPECT_TRUE(x.shares_memory_with(copy));
  EXPECT_TRUE(narrow(x, 0, 0, 1).shares_memory_with(narrow(x, 0, 1, 1)));
  copy.set({0, 0}, 7);
  EXPECT_FALSE(x.shares_memory_with(copy));
  EXPECT_FALSE(Tensor().shares_memory_with(Tensor()));
}

TEST(Tensor, ContiguousCopiesOnlyWhereNeeded) {
  const Tensor x = small();
  EXPECT_EQ(contiguous(x).data(), x.data());
  const Tensor turned = contiguous(transpose(x, 0, 1));
  EXPECT_TRUE(turned.is_unique());
  expect_equal(turned, {3, 2}, {1, 4, 2, 5, 3, 6});
}

}  // namespace
}  // namespace vitro
