// Writing to one tensor never changes another: every way to write, on every way to share.
#include <functional>
#include <string>

#include "tensor/create.h"
#include "tensor/tensor.h"
#include "tensor/views.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::expect_equal;

Tensor small() { return Tensor({2, 3}, {1, 2, 3, 4, 5, 6}); }

struct Write {
  const char* name;
  std::function<void(Tensor&)> apply;
};

// Each changes the number in front, whatever the shape (which has at least one axis).
std::vector<Write> writes() {
  const auto slice = [](const Tensor& x) { return full(x.shape().with_size(0, 1), 100); };
  return {
      {"set",
       [](Tensor& x) {
         x.rank() == 1 ? x.set({0}, 100) : x.set({0, 0}, 100);
       }},
      {"fill", [](Tensor& x) { x.fill(100); }},
      {"assign", [slice](Tensor& x) { x.assign(0, 0, slice(x)); }},
      {"accumulate region", [slice](Tensor& x) { x.accumulate(0, 0, slice(x)); }},
      {"accumulate", [](Tensor& x) { x.accumulate(full(x.shape(), 100)); }},
      {"mutable_data", [](Tensor& x) { x.mutable_data()[0] = 100; }},
  };
}

struct Share {
  const char* name;
  std::function<Tensor(const Tensor&)> make;
};

std::vector<Share> shares() {
  return {
      {"copy", [](const Tensor& x) { return x; }},
      {"transpose", [](const Tensor& x) { return transpose(x, 0, 1); }},
      {"narrow", [](const Tensor& x) { return narrow(x, 1, 0, 2); }},
      {"reshape", [](const Tensor& x) { return reshape(x, {6}); }},
      {"view",
       [](const Tensor& x) {
         return view(x, {3, 2});
       }},
      {"unsqueeze", [](const Tensor& x) { return squeeze(unsqueeze(x, 1), 1); }},
      {"copy of a view",
       [](const Tensor& x) {
         return Tensor(permute(x, {1, 0}));
       }},
  };
}

TEST(CopyOnWrite, WritingToTheOwnerLeavesTheOtherAlone) {
  for (const Write& write : writes()) {
    for (const Share& share : shares()) {
      SCOPED_TRACE(std::string(write.name) + " beside a " + share.name);
      Tensor owner = small();
      const Tensor other = share.make(owner);
      const std::vector<Scalar> before = other.to_vector();
      EXPECT_FALSE(owner.is_unique());
      write.apply(owner);
      EXPECT_TRUE(owner.is_unique());
      EXPECT_GE(owner.at({0, 0}), 100);
      EXPECT_EQ(other.to_vector(), before);
    }
  }
}

TEST(CopyOnWrite, WritingToTheOtherLeavesTheOwnerAlone) {
  for (const Write& write : writes()) {
    for (const Share& share : shares()) {
      SCOPED_TRACE(std::string(write.name) + " to a " + share.name);
      const Tensor owner = small();
      Tensor other = share.make(owner);
      std::vector<Scalar> expected = other.to_vector();
      write.apply(other);
      EXPECT_GE(other.to_vector()[0], 100);
      // Beyond the first slice of axis 0 only fill and accumulate change anything.
      if (std::string(write.name) == "set" || std::string(write.name) == "mutable_data") {
        expected[0] = 100;
        EXPECT_EQ(other.to_vector(), expected);
      }
      expect_equal(owner, {2, 3}, {1, 2, 3, 4, 5, 6});
    }
  }
}

// One number behind all three elements: writing to one must not write to the others.
TEST(CopyOnWrite, ABroadcastTensorGetsMemoryForEachElement) {
  Tensor x = broadcast_to(Tensor({}, {7}), {3});
  ASSERT_TRUE(x.is_unique());
  x.set({1}, 5);
  expect_equal(x, {3}, {7, 5, 7});
  Tensor y = broadcast_to(Tensor({1}, {7}), {3});
  y.accumulate(Tensor({3}, {1, 2, 3}));
  expect_equal(y, {3}, {8, 9, 10});
  Tensor z = broadcast_to(Tensor({}, {7}), {2, 2});
  z.fill(1);
  z.assign(1, 1, Tensor({2, 1}, {3, 4}));
  expect_equal(z, {2, 2}, {1, 3, 1, 4});
}

TEST(CopyOnWrite, CountsTheCopies) {
  Tensor x = small();
  Index count = detaching_copy_count();
  x.set({0, 0}, 2);
  x.assign(0, 1, Tensor({1, 3}, {7, 8, 9}));
  x.accumulate(small());
  x.accumulate(1, 2, Tensor({2, 1}, {1, 1}));
  x.mutable_data()[1] = 0;
  x.fill(3);
  EXPECT_EQ(detaching_copy_count(), count) << "the only owner writes in place";
  {
    const Tensor copy = x;
    x.set({0, 0}, 1);
    EXPECT_EQ(detaching_copy_count(), ++count);
    x.set({0, 1}, 1);
    EXPECT_EQ(detaching_copy_count(), count) << "only the first write copies";
  }
  const Tensor copy = x;
  x.fill(1);
  EXPECT_EQ(detaching_copy_count(), count) << "what is overwritten anyway is not copied";
}

TEST(CopyOnWrite, ADroppedCopyMakesTheOwnerUniqueAgain) {
  Tensor x = small();
  { const Tensor copy = transpose(x, 0, 1); }
  EXPECT_TRUE(x.is_unique());
  const Scalar* before = x.data();
  x.set({0, 0}, 9);
  EXPECT_EQ(x.data(), before);
}

}  // namespace
}  // namespace vitro
