#include "tensor/indices.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::message_of;

TEST(Indices, HoldNumbersWithAShape) {
  const Indices ids({2, 3}, {5, 4, 3, 2, 1, 0});
  EXPECT_EQ(ids.rank(), 2);
  EXPECT_EQ(ids.size(-1), 3);
  EXPECT_EQ(ids.element_count(), 6);
  EXPECT_EQ(ids[0], 5);
  EXPECT_EQ(ids[5], 0);
  EXPECT_EQ(ids, Indices({2, 3}, {5, 4, 3, 2, 1, 0}));
  EXPECT_NE(ids, Indices({3, 2}, {5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(Indices().shape(), Shape{0});
  EXPECT_EQ(Indices({}, {7})[0], 7);
}

TEST(Indices, CopiesAreIndependent) {
  Indices a({2}, {1, 2});
  const Indices b = a;
  a = Indices({1}, {3});
  EXPECT_EQ(b, Indices({2}, {1, 2}));
}

TEST(Indices, ChangeTheirShape) {
  const Indices ids({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(reshape(ids, {3, -1}), Indices({3, 2}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(reshape(Indices({1, 1}, {7}), {}), Indices({}, {7}));
  EXPECT_EQ(reshape(Indices(), {3, 0}), Indices({3, 0}, {}));
  EXPECT_EQ(message_of<ShapeError>([&] { reshape(ids, {4}); }),
            "reshape: [2, 3] has 6 elements, [4] has 4; they must be equal");
  EXPECT_EQ(message_of<ShapeError>([&] {
              reshape(ids, {-1, 4});
            }),
            "reshape: a size of -1 cannot be found for the 6 elements of [2, 3]; the other sizes "
            "multiply to 4, which must divide them");
  EXPECT_THROW(reshape(ids, {-1, -1}), ShapeError);
}

TEST(Indices, Narrow) {
  const Indices ids({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_EQ(narrow(ids, 0, 1, 1), Indices({1, 3, 2}, {6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(narrow(ids, 1, 1, 2), Indices({2, 2, 2}, {2, 3, 4, 5, 8, 9, 10, 11}));
  EXPECT_EQ(narrow(ids, -1, 0, 1), Indices({2, 3, 1}, {0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(narrow(ids, 1, 3, 0), Indices({2, 0, 2}, {}));
  EXPECT_EQ(narrow(Indices(), 0, 0, 0), Indices());
  EXPECT_EQ(message_of<std::out_of_range>([&] { narrow(ids, 1, 2, 2); }),
            "narrow: 2 entries from 2 of axis 1 of [2, 3, 2]; the axis has 3");
  EXPECT_THROW(narrow(ids, 1, -1, 2), std::out_of_range);
  EXPECT_THROW(narrow(ids, 1, 1, INT64_MAX), std::out_of_range);
  EXPECT_THROW(narrow(ids, 3, 0, 1), ShapeError);
}

TEST(Indices, NameWhatIsWrong) {
  EXPECT_EQ(message_of<ShapeError>([] { Indices({2}, {1}); }),
            "Indices: 1 values for shape [2]; it takes 2");
  EXPECT_EQ(message_of<std::out_of_range>([] {
              return Indices({2}, {1, 2})[2];
            }),
            "Indices: entry 2 of 2; it must be from 0 to 1");
  EXPECT_EQ(message_of<std::out_of_range>([] { return Indices()[0]; }),
            "Indices: entry 0 of 0; there are none");
  EXPECT_THROW((Indices({2}, {1, 2})[-1]), std::out_of_range);
}

TEST(Indices, CheckIds) {
  EXPECT_NO_THROW(check_ids(Indices({3}, {0, 4, 2}), 5, "f", "token id"));
  EXPECT_NO_THROW(check_ids(Indices(), 0, "f", "token id"));
  EXPECT_EQ(message_of<std::out_of_range>([] {
              check_ids(Indices({2}, {0, 5}), 5, "f", "token id");
            }),
            "f: token id 5; it must be from 0 to 4");
  EXPECT_THROW(check_ids(Indices({1}, {-1}), 5, "f", "id"), std::out_of_range);
}

TEST(CheckId, ANegativeCountIsNone) {
  test::expect_error_contains<std::out_of_range>([] { check_id(0, -1, "one_hot", "id"); },
                                                 "one_hot: id 0; there are none to pick");
}

}  // namespace
}  // namespace vitro
