#include "tensor/select.h"

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/expect.h"
#include "tests/support/reference.h"

namespace vitro {
namespace {

using test::expect_equal;
using test::expect_same_bits;
using test::message_of;
using test::scattered;

TEST(Embedding, PicksRows) {
  const Tensor table({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_equal(embedding(table, Indices({2, 2}, {2, 0, 1, 2})), {2, 2, 2},
               {5, 6, 1, 2, 3, 4, 5, 6});
  expect_equal(embedding(table, Indices({}, {1})), {2}, {3, 4});
  expect_equal(embedding(scattered(table), Indices({1}, {2})), {1, 2}, {5, 6});
  expect_equal(embedding(transpose(table, 0, 1), Indices({1}, {1})), {1, 3}, {2, 4, 6});
}

TEST(Embedding, PicksNothing) {
  const Tensor table = ones({3, 2});
  expect_equal(embedding(table, Indices()), {0, 2}, {});
  expect_equal(embedding(zeros({3, 0}), Indices({2}, {1, 2})), {2, 0}, {});
  expect_equal(embedding(zeros({0, 2}), Indices({0, 5}, {})), {0, 5, 2}, {});
  expect_equal(embedding_backward(zeros({0, 2}), Indices(), 3), {3, 2}, std::vector<double>(6, 0));
  expect_equal(embedding_backward(zeros({2, 0}), Indices({2}, {0, 0}), 3), {3, 0}, {});
  EXPECT_THROW(embedding(zeros({0, 2}), Indices({1}, {0})), std::out_of_range);
}

TEST(Pitfall, BL90_RepeatedIdsAddUp) {
  const Indices ids({3}, {1, 1, 0});
  for (const Index threads : {1, 4}) {
    expect_equal(test::with_threads(threads,
                                    [&] {
                                      return embedding_backward(ones({3, 2}), ids, 3);
                                    }),
                 {3, 2}, {1, 1, 2, 2, 0, 0});
  }
  const Tensor grad({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_equal(embedding_backward(scattered(grad), ids, 2), {2, 2}, {5, 6, 4, 6});
}

TEST(Embedding, HasTheSameBitsOnAnyNumberOfThreads) {
  Rng rng(127);
  const Tensor table = test::random_tensor({101, 37}, rng);
  std::vector<Index> ids;
  for (int i = 0; i < 1009; ++i) ids.push_back(rng.below(101));
  const auto pick = [&] { return embedding(table, Indices({1009}, ids)); };
  const Tensor expected = test::with_threads(1, pick);
  for (const Index threads : {2, 3, 7})
    expect_same_bits(test::with_threads(threads, pick), expected);
  for (Index i = 0; i < 1009; ++i) {
    ASSERT_EQ(expected.at({i, 36}), table.at({ids[static_cast<std::size_t>(i)], 36}));
  }
}

TEST(Embedding, NamesWhatIsWrong) {
  const Tensor table = zeros({3, 2});
  EXPECT_EQ(message_of<std::out_of_range>([&] {
              embedding(table, Indices({2}, {0, 3}));
            }),
            "embedding: id 3; it must be from 0 to 2");
  EXPECT_EQ(message_of<std::out_of_range>([&] { embedding(table, Indices({1}, {-1})); }),
            "embedding: id -1; it must be from 0 to 2");
  EXPECT_EQ(message_of<ShapeError>([] { embedding(zeros({3}), Indices({1}, {0})); }),
            "embedding: table is [3]; it must be [count, width]");
  EXPECT_EQ(message_of<ShapeError>([] {
              embedding_backward(ones({2, 2}), Indices({3}, {0, 1, 2}), 3);
            }),
            "embedding_backward: the gradient is [2, 2], ids are [3]; the gradient must be "
            "[ids.., width]");
  EXPECT_EQ(message_of<std::out_of_range>([] {
              embedding_backward(ones({1, 2}), Indices({1}, {3}), 3);
            }),
            "embedding_backward: id 3; it must be from 0 to 2");
  EXPECT_THROW(embedding_backward(Tensor({}, {1}), Indices({}, {0}), 3), ShapeError);
  EXPECT_THROW(embedding_backward(ones({0, 2}), Indices(), -1), ShapeError);
}

// y[.., ids[..], ..] spelled out place by place, for every axis.
TEST(Gather, AgreesWithAPlainLoop) {
  Rng rng(131);
  const Tensor x = test::random_tensor({5, 3, 7}, rng);
  const test::Reference reference = test::reference_of(x);
  for (Index axis = 0; axis < 3; ++axis) {
    test::Places sizes{4, 2, 6};
    sizes[static_cast<std::size_t>(axis)] = 11;  // longer than x's own axis
    std::vector<Index> values;
    for (Index i = 0; i < Shape(sizes).element_count(); ++i)
      values.push_back(rng.below(x.size(axis)));
    const Indices ids(Shape(sizes), values);
    std::size_t next = 0;
    const auto picked = test::make_reference(sizes, [&](test::Places place) {
      place[static_cast<std::size_t>(axis)] = values[next++];
      return reference.at(place);
    });
    test::expect_close(gather(x, axis - 3, ids), picked, 0);
    test::expect_close(gather(scattered(x), axis, ids), picked, 0);
    // Its gradient: each number goes back to the place that it came from.
    Tensor expected = zeros(x.shape());
    next = 0;
    test::make_reference(sizes, [&](test::Places place) {
      place[static_cast<std::size_t>(axis)] = values[next++];
      expected.set({place[0], place[1], place[2]}, expected.at({place[0], place[1], place[2]}) + 1);
      return 0.0;
    });
    expect_same_bits(scatter_sum(ones(Shape(sizes)), axis, ids, x.shape()), expected);
  }
}

TEST(Gather, TakesNothing) {
  expect_equal(gather(Tensor(), 0, Indices()), {0}, {});
  expect_equal(gather(zeros({3, 0}), 0, Indices({2, 0}, {})), {2, 0}, {});
  expect_equal(gather(ones({3, 2}), 1, Indices({3, 0}, {})), {3, 0}, {});
  expect_equal(scatter_sum(zeros({0, 2}), 0, Indices({0, 2}, {}), {1, 2}), {1, 2}, {0, 0});
}

TEST(Gather, NamesWhatIsWrong) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(
      message_of<ShapeError>([&] {
        gather(x, 0, Indices({1, 4}, {0, 0, 0, 0}));
      }),
      "gather: ids of shape [1, 4] for axis 0 of [2, 3]; ids needs the same rank and no larger "
      "size on any other axis");
  EXPECT_EQ(message_of<std::out_of_range>([&] {
              gather(x, 1, Indices({1, 1}, {3}));
            }),
            "gather: id 3; it must be from 0 to 2");
  EXPECT_THROW(gather(x, 2, Indices({1, 1}, {0})), ShapeError);
  EXPECT_THROW(gather(x, 0, Indices({1}, {0})), ShapeError);
  EXPECT_EQ(
      message_of<std::out_of_range>([] { scatter_sum(ones({1}), 0, Indices({1}, {2}), {2}); }),
      "scatter_sum: id 2; it must be from 0 to 1");
  EXPECT_EQ(message_of<ShapeError>([] { scatter_sum(ones({2}), 0, Indices({1}, {0}), {2}); }),
            "scatter_sum: the gradient is [2], the output is [1]; they must be equal");
}

TEST(OneHot, MarksEachId) {
  expect_equal(one_hot(Indices({2}, {2, 0}), 3), {2, 3}, {0, 0, 1, 1, 0, 0});
  expect_equal(one_hot(Indices({}, {1}), 2), {2}, {0, 1});
  expect_equal(one_hot(Indices(), 3), {0, 3}, {});
  expect_equal(one_hot(Indices(), 0), {0, 0}, {});
  EXPECT_EQ(message_of<std::out_of_range>([] { one_hot(Indices({1}, {3}), 3); }),
            "one_hot: id 3; it must be from 0 to 2");
  EXPECT_EQ(message_of<std::out_of_range>([] { one_hot(Indices({1}, {0}), 0); }),
            "one_hot: id 0; there are none to pick");
  EXPECT_THROW(one_hot(Indices(), -1), ShapeError);
}

}  // namespace
}  // namespace vitro
