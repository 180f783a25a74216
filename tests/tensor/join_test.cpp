#include "tensor/join.h"

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_equal;
using test::expect_same_bits;
using test::message_of;
using test::scattered;

TEST(Cat, JoinsAlongEveryAxis) {
  const Tensor a({1, 2}, {1, 2});
  const Tensor b({2, 2}, {3, 4, 5, 6});
  expect_equal(cat({a, b}, 0), {3, 2}, {1, 2, 3, 4, 5, 6});
  expect_equal(cat({transpose(a, 0, 1), scattered(b)}, -1), {2, 3}, {1, 3, 4, 2, 5, 6});
  expect_equal(cat({a}, 1), {1, 2}, {1, 2});
  Rng rng(137);
  const Tensor whole = test::random_tensor({3, 7, 5}, rng);
  for (Index axis = 0; axis < 3; ++axis) {
    const Index size = whole.size(axis);
    const std::vector<Tensor> parts{narrow(whole, axis, 0, 2), narrow(whole, axis, 2, 0),
                                    narrow(whole, axis, 2, size - 2)};
    expect_same_bits(cat(parts, axis), whole);
    expect_same_bits(cat(parts, axis - 3), whole);
  }
}

TEST(Cat, JoinsNothing) {
  expect_equal(cat({Tensor(), Tensor()}, 0), {0}, {});
  expect_equal(cat({Tensor(), ones({2})}, 0), {2}, {1, 1});
  expect_equal(cat({zeros({0, 3}), zeros({0, 2})}, 1), {0, 5}, {});
  expect_equal(cat({zeros({2, 0}), zeros({1, 0})}, 0), {3, 0}, {});
}

TEST(Cat, IsANewTensor) {
  const Tensor x({2}, {1, 2});
  Tensor joined = cat({x}, 0);
  joined.fill(9);
  expect_equal(x, {2}, {1, 2});
}

TEST(Cat, NamesWhatIsWrong) {
  EXPECT_EQ(message_of<ShapeError>([] { cat({}, 0); }), "cat: no parts; give at least one tensor");
  EXPECT_EQ(message_of<ShapeError>([] {
              cat({zeros({2, 3}), zeros({2, 5})}, 0);
            }),
            "cat: parts of shapes [2, 3] and [2, 5] along axis 0; all other sizes must be equal");
  EXPECT_THROW(cat({zeros({2, 3}), zeros({3})}, 0), ShapeError);
  EXPECT_THROW(cat({zeros({2, 3})}, 2), ShapeError);
  EXPECT_EQ(message_of<ShapeError>([] { cat({Tensor({}, {1})}, 0); }),
            "cat: axis 0 of shape []; a rank-0 tensor has no axes");
}

TEST(Stack, AddsAnAxis) {
  const Tensor a({2}, {1, 2});
  const Tensor b({2}, {3, 4});
  const Tensor c({2}, {5, 6});
  expect_equal(stack({a, b, c}, 0), {3, 2}, {1, 2, 3, 4, 5, 6});
  expect_equal(stack({a, b, c}, 1), {2, 3}, {1, 3, 5, 2, 4, 6});
  expect_equal(stack({a, b, c}, -1), {2, 3}, {1, 3, 5, 2, 4, 6});
  expect_equal(stack({a, b, c}, -2), {3, 2}, {1, 2, 3, 4, 5, 6});
  expect_equal(stack({Tensor({}, {1}), Tensor({}, {2})}, 0), {2}, {1, 2});
  expect_equal(stack({Tensor(), Tensor()}, 0), {2, 0}, {});
}

TEST(Stack, NamesWhatIsWrong) {
  const Tensor a = zeros({2, 3});
  EXPECT_EQ(message_of<ShapeError>([] { stack({}, 0); }),
            "stack: no parts; give at least one tensor");
  EXPECT_EQ(message_of<ShapeError>([&] {
              stack({a, zeros({3})}, 0);
            }),
            "stack: parts of shapes [2, 3] and [3]; they must be equal");
  EXPECT_EQ(message_of<ShapeError>([&] { stack({a}, 3); }),
            "stack: no place 3 for a new axis of [2, 3]; it must be from -3 to 2");
  EXPECT_THROW(stack({ones({1, 1, 1, 1, 1, 1, 1, 1})}, 0), ShapeError);
}

}  // namespace
}  // namespace vitro
