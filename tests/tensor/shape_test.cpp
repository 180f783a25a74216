#include "tensor/shape.h"

#include <limits>

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::message_of;

constexpr Index kHuge = std::numeric_limits<Index>::max();

TEST(Shape, KnowsSizesRankAndCount) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().element_count(), 1);
  EXPECT_EQ(Shape().to_string(), "[]");
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.element_count(), 30);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.to_string(), "[2, 3, 5]");
  EXPECT_EQ(shape, Shape(std::vector<Index>{2, 3, 5}));
  EXPECT_NE(shape, (Shape{2, 3, 5, 1}));
  EXPECT_NE((Shape{0}), Shape());
  EXPECT_EQ((Shape{7, 0, 3}).element_count(), 0);
}

TEST(Shape, TakesEightAxesAndNoMore) {
  EXPECT_EQ((Shape{1, 2, 1, 2, 1, 2, 1, 2}).rank(), kMaxRank);
  EXPECT_EQ(message_of<ShapeError>([] { Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}; }),
            "Shape: more than 8 axes after [1, 2, 3, 4, 5, 6, 7, 8]; a shape has at most 8");
  EXPECT_EQ(message_of<ShapeError>([] {
              Shape{2, -3};
            }),
            "Shape: size -3 for axis 1 after [2]; a size is 0 or more");
}

TEST(Shape, RefusesProductsThatOverflow) {
  EXPECT_EQ((Shape{Index{1} << 28, Index{1} << 28}).element_count(), Index{1} << 56);
  for (const Shape& bad_first : {Shape{kHuge / (Index{1} << 10)}, Shape{Index{1} << 55}}) {
    EXPECT_THROW(bad_first.with_axis_inserted(0, 1024), ShapeError);
  }
  EXPECT_EQ(message_of<ShapeError>([] { Shape{kHuge}; }),
            "Shape: too many elements: [] times 9223372036854775807; a tensor holds at most 2^56");
  EXPECT_EQ(message_of<ShapeError>([] {
              Shape{8, kHuge};
            }),
            "Shape: too many elements: [8] times 9223372036854775807; a tensor holds at most 2^56");
  EXPECT_THROW((Shape{(Index{1} << 56) + 1}), ShapeError);
}

TEST(Shape, TellsWhichSizesFit) {
  EXPECT_TRUE(element_count_fits({}));
  EXPECT_TRUE(element_count_fits({Index{1} << 28, 0, Index{1} << 28}));
  EXPECT_FALSE(element_count_fits({Index{1} << 28, 0, Index{1} << 28, 2}));
  EXPECT_FALSE(element_count_fits({kHuge}));
}

TEST(Shape, UndoesAnOrder) {
  EXPECT_EQ(inverse_order({2, 0, 3, 1}), (std::vector<Index>{1, 3, 0, 2}));
}

// A size of 0 must not hide an overflow of the others: strides and later products meet it.
TEST(Shape, RefusesOverflowBesideAZero) {
  EXPECT_THROW((Shape{0, Index{1} << 40, Index{1} << 40}), ShapeError);
  EXPECT_THROW((Shape{Index{1} << 40, 0, Index{1} << 40}), ShapeError);
  EXPECT_EQ((Shape{Index{1} << 40, 0}).element_count(), 0);
}

TEST(Pitfall, BL55_SizesAre64BitsWide) {
  EXPECT_EQ((Shape{65536, 65536}).element_count(), 4294967296);
  test::expect_error_contains<ShapeError>(
      [] {
        Shape{Index{1} << 33, Index{1} << 33};
      },
      "too many elements: [8589934592] times 8589934592");
}

// Bytes are counted in the same 64 bits: what has a shape has a size in bytes.
TEST(Pitfall, BL55_BytesAre64BitsWide) {
  const Shape largest{Index{1} << 28, Index{1} << 28};
  EXPECT_EQ(largest.element_count(), Index{1} << 56);
  EXPECT_GT(largest.element_count() * Index{sizeof(double)}, 0);
  EXPECT_THROW((Shape{Index{1} << 28, Index{1} << 28, 2}), ShapeError);
  EXPECT_THROW((Shape{65536, 65536, 65536, 65536}), ShapeError);
  EXPECT_EQ((Shape{65536, 65536}).element_count() * Index{sizeof(float)}, 17179869184);
}

TEST(Shape, ChangesOneAxis) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape.with_size(-2, 7), (Shape{2, 7, 5}));
  EXPECT_EQ(shape.without_axis(0), (Shape{3, 5}));
  EXPECT_EQ(shape.without_axis(-1), (Shape{2, 3}));
  EXPECT_EQ(shape.with_axis_inserted(0, 7), (Shape{7, 2, 3, 5}));
  EXPECT_EQ(shape.with_axis_inserted(3, 7), (Shape{2, 3, 5, 7}));
  EXPECT_THROW(shape.with_size(3, 1), ShapeError);
  EXPECT_THROW(shape.with_size(0, -1), ShapeError);
  EXPECT_THROW(shape.without_axis(-4), ShapeError);
  EXPECT_EQ(message_of<ShapeError>([&] { shape.with_axis_inserted(4, 1); }),
            "Shape: no place 4 for a new axis of [2, 3, 5]; it must be from 0 to 3");
  EXPECT_THROW(shape.with_axis_inserted(-1, 1), ShapeError);
}

TEST(Shape, NamesTheAxisThatIsNotThere) {
  EXPECT_EQ(message_of<ShapeError>([] {
              return Shape{2, 3}[2];
            }),
            "Shape: axis 2 is not an axis of [2, 3]; it must be from -2 to 1");
  EXPECT_EQ(message_of<ShapeError>([] {
              return Shape{2, 3}.resolve_axis(-3, "sum");
            }),
            "sum: axis -3 is not an axis of [2, 3]; it must be from -2 to 1");
  EXPECT_EQ(message_of<ShapeError>([] { return Shape{}[0]; }),
            "Shape: axis 0 of shape []; a rank-0 tensor has no axes");
  for (const Index axis : {kHuge, std::numeric_limits<Index>::min()}) {
    EXPECT_THROW((Shape{2, 3}[axis]), ShapeError);
  }
}

TEST(Shape, HasRowMajorStrides) {
  EXPECT_EQ(row_major_strides({2, 3, 5}), (Strides{15, 5, 1}));
  EXPECT_EQ(row_major_strides({}), Strides{});
  EXPECT_EQ(row_major_strides({7}), Strides{1});
}

TEST(Shape, Broadcasts) {
  EXPECT_EQ(broadcast_shapes({2, 3}, {3}, "add"), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({}, {5, 7}, "add"), (Shape{5, 7}));
  EXPECT_EQ(broadcast_shapes({2, 1, 5}, {3, 1}, "add"), (Shape{2, 3, 5}));
  EXPECT_EQ(broadcast_shapes({0}, {1}, "add"), Shape{0});
  EXPECT_EQ(broadcast_shapes({1, 3}, {0, 1}, "add"), (Shape{0, 3}));
  EXPECT_EQ(message_of<ShapeError>([] {
              broadcast_shapes({2, 3}, {2, 5}, "add");
            }),
            "add: shapes do not broadcast: a is [2, 3], b is [2, 5]; axis -1 has sizes 3 and 5, "
            "which must be equal or one of them 1");
  EXPECT_THROW(broadcast_shapes({0}, {2}, "add"), ShapeError);
  EXPECT_THROW(broadcast_shapes({Index{1} << 40, 1}, {Index{1} << 40}, "add"), ShapeError);
}

TEST(Shape, TellsWhatStretchesToWhat) {
  EXPECT_TRUE(broadcasts_to({3}, {2, 3}));
  EXPECT_TRUE(broadcasts_to({}, {0}));
  EXPECT_TRUE(broadcasts_to({1}, {0}));
  EXPECT_FALSE(broadcasts_to({2, 3}, {3}));
  EXPECT_FALSE(broadcasts_to({2}, {1}));
  EXPECT_FALSE(broadcasts_to({0}, {1}));
}

TEST(Shape, ResolvesListsOfAxes) {
  using Axes = std::vector<Index>;
  EXPECT_EQ(resolve_axes({2, 3, 5}, {}, "sum"), (Axes{0, 1, 2}));
  EXPECT_EQ(resolve_axes({2, 3, 5}, {-1, 0}, "sum"), (Axes{0, 2}));
  EXPECT_EQ(resolve_axes({}, {}, "sum"), Axes{});
  EXPECT_EQ(message_of<ShapeError>([] {
              resolve_axes({2, 3}, {1, -1}, "sum");
            }),
            "sum: axis -1 of [2, 3] is named twice; name it once");
  EXPECT_THROW(resolve_axes({2, 3}, {0, 2}, "sum"), ShapeError);
}

}  // namespace
}  // namespace vitro
