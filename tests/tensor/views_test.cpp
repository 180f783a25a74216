#include "tensor/views.h"

#include <algorithm>
#include <limits>

#include "tensor/create.h"

#include "tests/support/expect.h"
#include "tests/support/reference.h"

namespace vitro {
namespace {

using test::expect_close;
using test::expect_equal;
using test::message_of;
using test::Places;
using test::Reference;

Tensor small() { return Tensor({2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(Views, SayWhatTheyMean) {
  expect_equal(transpose(small(), 0, -1), {3, 2}, {1, 4, 2, 5, 3, 6});
  expect_equal(permute(arange(3), {0}), {3}, {0, 1, 2});
  expect_equal(permute(view(arange(12), {2, 3, 2}), {-1, 0, 1}), {2, 2, 3},
               {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11});
  expect_equal(narrow(small(), -1, 1, 2), {2, 2}, {2, 3, 5, 6});
  expect_equal(narrow(small(), 1, 3, 0), {2, 0}, {});
  expect_equal(reshape(small(), {3, -1}), {3, 2}, {1, 2, 3, 4, 5, 6});
  expect_equal(reshape(Tensor({1, 1}, {7}), {}), {}, {7});
  expect_equal(broadcast_to(Tensor({2, 1}, {1, 2}), {2, 2, 3}), {2, 2, 3},
               {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  expect_equal(unsqueeze(small(), -1), {2, 3, 1}, {1, 2, 3, 4, 5, 6});
  expect_equal(unsqueeze(small(), 0), {1, 2, 3}, {1, 2, 3, 4, 5, 6});
  expect_equal(squeeze(Tensor({2, 1, 1}, {1, 2}), -2), {2, 1}, {1, 2});
}

TEST(Views, ShareMemory) {
  const Tensor x = view(arange(30), {2, 3, 5});
  for (const Tensor& seen :
       {transpose(x, 0, 2), permute(x, {1, 2, 0}), unsqueeze(x, 1), reshape(x, {6, 5}),
        narrow(x, 0, 0, 1), broadcast_to(x, {7, 2, 3, 5}), view(x, {-1}),
        reshape(transpose(x, 0, 1), {3, 2, 5, 1}), reshape(narrow(x, 1, 0, 2), {2, 10}),
        reshape(unsqueeze(narrow(x, 2, 0, 3), 1), {6, 3})}) {
    EXPECT_EQ(seen.strided_data(), x.data()) << seen.shape().to_string();
  }
  EXPECT_EQ(narrow(x, 1, 2, 1).strided_data(), x.data() + 10);
}

TEST(Pitfall, BL30_ViewAfterTranspose) {
  const Tensor turned = transpose(small(), 0, 1);
  EXPECT_EQ(message_of<ShapeError>([&] { view(turned, {6}); }),
            "view: a tensor of shape [3, 2] is not contiguous, so it cannot be seen as [6] without "
            "a copy; use reshape(x, …) or contiguous(x)");
  expect_equal(reshape(turned, {6}), {6}, {1, 4, 2, 5, 3, 6});
  expect_equal(view(contiguous(turned), {6}), {6}, {1, 4, 2, 5, 3, 6});
}

// ---- Chains of views against the definitions, index by index ------------------------------------

struct Pair {
  Tensor tensor;
  Reference reference;
};

Index pick(Rng& rng, std::size_t count) { return rng.below(static_cast<Index>(count)); }

// Sizes with the same product: axes merged, split by a divisor, or of size 1 put in.
Places other_sizes(Places sizes, Rng& rng) {
  for (int change = 0; change < 3; ++change) {
    const bool may_grow = sizes.size() < 6;
    if (sizes.size() > 1 && rng.below(2) == 0) {
      const auto at = sizes.begin() + pick(rng, sizes.size() - 1);
      *(at + 1) *= *at;
      sizes.erase(at);
    } else if (may_grow) {
      const std::size_t at = sizes.empty() ? 0 : static_cast<std::size_t>(pick(rng, sizes.size()));
      const Index divisor = 1 + rng.below(4);
      if (sizes.empty() || sizes[at] % divisor != 0) continue;
      sizes[at] /= divisor;
      sizes.insert(sizes.begin() + static_cast<Index>(at) + rng.below(2), divisor);
    }
  }
  return sizes;
}

Pair step(const Pair& x, Rng& rng) {
  const Places& sizes = x.reference.sizes;
  const auto rank = static_cast<Index>(sizes.size());
  const Index kind = rng.below(7);
  if (kind == 0 || rank == 0) {
    const Places other = other_sizes(sizes, rng);
    return {reshape(x.tensor, other), reshaped(x.reference, other)};
  }
  const Index axis = rng.below(rank);
  const Index size = sizes[static_cast<std::size_t>(axis)];
  if (kind == 1) {
    const Index other = rng.below(rank);
    return {transpose(x.tensor, axis - rank, other), transposed(x.reference, axis, other)};
  }
  if (kind == 2) {
    const Places order = rng.permutation(rank);
    return {permute(x.tensor, order), permuted(x.reference, order)};
  }
  if (kind == 3 && size > 1) {
    const Index start = rng.below(size);
    const Index length = size - start - rng.below((size - start + 1) / 2);
    return {narrow(x.tensor, axis, start, length), narrowed(x.reference, axis, start, length)};
  }
  Places changed = sizes;
  if (kind == 4 && rank < 6) {
    changed.insert(changed.begin() + axis, 1);
    return {unsqueeze(x.tensor, axis), reshaped(x.reference, changed)};
  }
  if (kind == 5 && size == 1) {
    changed.erase(changed.begin() + axis);
    return {squeeze(x.tensor, axis), reshaped(x.reference, changed)};
  }
  if (kind == 6 && size == 1 && x.reference.values.size() < 200) {
    changed[static_cast<std::size_t>(axis)] = 1 + rng.below(3);
    if (rank < 6) changed.insert(changed.begin(), 2);
    return {broadcast_to(x.tensor, Shape(changed)), broadcast(x.reference, changed)};
  }
  return x;
}

// Whether element k of row-major order lies k numbers after the first, for every k.
bool lies_in_order(const Tensor& x) {
  const Reference offsets = test::make_reference(x.shape().sizes(), [&x](const Places& place) {
    Index offset = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis)
      offset += place[axis] * x.strides()[axis];
    return static_cast<double>(offset);
  });
  double expected = 0;
  return std::all_of(offsets.values.begin(), offsets.values.end(),
                     [&expected](double offset) { return offset == expected++; });
}

TEST(Views, RandomChainsFollowTheDefinitions) {
  Rng rng(2024);
  for (int chain = 0; chain < 400; ++chain) {
    Tensor start = reshape(arange(2 * 3 * 4 * 5), {2, 3, 4, 5});
    if (chain % 3 == 1) start = reshape(arange(7 * 6), {7, 1, 6});
    if (chain % 3 == 2) start = reshape(arange(36), {4, 1, 9, 1});
    Pair x{start, test::reference_of(start)};
    for (int i = 0; i < 12; ++i) {
      x = step(x, rng);
      expect_close(x.tensor, x.reference, 0);
      EXPECT_EQ(test::reference_of(x.tensor).values, x.reference.values);
      expect_close(contiguous(x.tensor), x.reference, 0);
      EXPECT_EQ(x.tensor.is_contiguous(), lies_in_order(x.tensor));
      if (HasFailure()) return;
    }
  }
}

TEST(Views, WorkAtRank8) {
  Tensor x = reshape(arange(256), {2, 2, 2, 2, 2, 2, 2, 2});
  x = transpose(x, 0, 7);
  EXPECT_EQ(x.at({1, 0, 0, 0, 0, 0, 0, 0}), 1);
  EXPECT_EQ(permute(x, {7, 6, 5, 4, 3, 2, 1, 0}).at({0, 0, 0, 0, 0, 0, 0, 1}), 1);
  EXPECT_EQ(reshape(x, {256}).to_vector()[1], 128);
  EXPECT_EQ(squeeze(narrow(x, -1, 1, 1), -1).rank(), 7);
  EXPECT_THROW(unsqueeze(x, 0), ShapeError);
  EXPECT_THROW(broadcast_to(x, {}), ShapeError);
}

TEST(Views, WorkOnNothing) {
  for (const Tensor& x : {Tensor(), zeros({0}), narrow(arange(3), 0, 3, 0)}) {
    expect_equal(reshape(x, {3, 0, 5}), {3, 0, 5}, {});
    expect_equal(view(x, {-1, 2}), {0, 2}, {});
    expect_equal(transpose(unsqueeze(x, 0), 0, 1), {0, 1}, {});
    expect_equal(broadcast_to(unsqueeze(x, 0), {7, 0}), {7, 0}, {});
    expect_equal(narrow(x, 0, 0, 0), {0}, {});
    expect_equal(permute(x, {0}), {0}, {});
    expect_equal(contiguous(x), {0}, {});
  }
  const Tensor empty_rows = zeros({5, 0});
  EXPECT_EQ(narrow(empty_rows, 0, 4, 1).strided_data(), empty_rows.strided_data());
}

TEST(Views, NameWhatIsWrong) {
  const Tensor x = small();
  EXPECT_EQ(message_of<ShapeError>([&] { transpose(x, 0, 2); }),
            "transpose: axis 2 is not an axis of [2, 3]; it must be from -2 to 1");
  EXPECT_EQ(message_of<ShapeError>([&] {
              permute(x, {0, -2});
            }),
            "permute: axis -2 of [2, 3] is named twice; name every axis once");
  EXPECT_EQ(message_of<ShapeError>([&] { permute(x, {1}); }),
            "permute: 1 axes for shape [2, 3]; name all 2 of them");
  EXPECT_EQ(message_of<std::out_of_range>([&] { narrow(x, 1, 2, 2); }),
            "narrow: 2 entries from 2 of axis 1 of [2, 3]; the axis has 3");
  for (const auto& [start, length] :
       {std::pair<Index, Index>{-1, 1}, {4, 0}, {0, -1}, {1, INT64_MAX}}) {
    EXPECT_THROW(narrow(x, 1, start, length), std::out_of_range);
  }
  EXPECT_EQ(message_of<ShapeError>([&] {
              reshape(x, {4, 2});
            }),
            "reshape: [2, 3] has 6 elements, [4, 2] has 8; they must be equal");
  EXPECT_EQ(message_of<ShapeError>([&] {
              reshape(x, {4, -1});
            }),
            "reshape: a size of -1 cannot be found for the 6 elements of [2, 3]; the other sizes "
            "multiply to 4, which must divide them");
  EXPECT_EQ(message_of<ShapeError>([&] {
              view(x, {-1, 2, -1});
            }),
            "view: more than one size of -1 for the 6 elements of [2, 3]; only one can follow from "
            "the others");
  EXPECT_THROW(reshape(x, {-2, 3}), ShapeError);
  EXPECT_THROW(reshape(x, {0, -1}), ShapeError);
  EXPECT_EQ(message_of<ShapeError>([&] {
              broadcast_to(x, {2, 5});
            }),
            "broadcast_to: [2, 3] does not stretch to [2, 5]; matched from the last axis, sizes "
            "must be equal or 1");
  EXPECT_EQ(message_of<ShapeError>([&] { unsqueeze(x, 3); }),
            "unsqueeze: no place 3 for a new axis of [2, 3]; it must be from -3 to 2");
  EXPECT_EQ(message_of<ShapeError>([&] { squeeze(x, 0); }),
            "squeeze: axis 0 of [2, 3] has size 2; only an axis of size 1 can be taken out");
}

// The way to memory outside a tensor: every element of a view lies in what its owner has.
TEST(MakeView, StaysInsideTheMemory) {
  const Tensor x = narrow(arange(12), 0, 4, 4);
  EXPECT_EQ(x.make_view({3}, {-1}, 0).at({2}), Scalar(2));
  EXPECT_EQ(x.make_view({2, 2}, {-4, 1}, 4).at({1, 1}), Scalar(5));
  EXPECT_EQ(x.make_view({1000, 1}, {0, 1000}, -4).at({999, 0}), Scalar(0));
  EXPECT_EQ(x.make_view({0, 5}, {1, 1}, 1000).element_count(), 0);
  constexpr Index kHuge = std::numeric_limits<Index>::max();
  constexpr Index kLowest = std::numeric_limits<Index>::min();

  const struct {
    Shape shape;
    Strides strides;
    Index offset;
  } outside[] = {{{1000}, {1}, 0},  {{1}, {1}, 1000},    {{1}, {1}, -5},
                 {{6}, {-1}, 0},    {{2}, {kHuge}, 0},   {{2}, {kLowest}, 0},
                 {{1}, {1}, kHuge}, {{1}, {1}, kLowest}, {{5, 5}, {9, 9}, 0}};

  for (const auto& [shape, strides, offset] : outside) {
    EXPECT_THROW(x.make_view(shape, strides, offset), std::out_of_range) << shape.to_string();
  }
  test::expect_error_contains<std::out_of_range>([] { Tensor().make_view({1}, {1}, 0); },
                                                 "make_view: shape [1] at offset 0");
}

}  // namespace
}  // namespace vitro
