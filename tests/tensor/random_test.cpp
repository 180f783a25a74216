#include "tensor/random.h"

#include <algorithm>
#include <set>

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::message_of;

// Stored values: the same in float and in double, from every compiler and on every system.
TEST(Pitfall, BL79_FirstValuesOfSeed123) {
  Rng bits(123);
  for (const std::uint64_t expected :
       {0xa5565735f810987aU, 0xd6914642e58d662eU, 0xaa7521feb709887fU, 0x863cd15c558d6bfbU,
        0x0e5f8af5861dfa40U}) {
    EXPECT_EQ(bits.next(), expected);
  }
  Rng uniforms(123);
  for (const double expected : {0x1.4aacae6bf0213p-1, 0x1.ad228c85cb1acp-1, 0x1.54ea43fd6e131p-1,
                                0x1.0c79a2b8ab1adp-1, 0x1.cbf15eb0c3bf0p-5}) {
    EXPECT_EQ(uniforms.uniform(), expected);
  }
  Rng normals(123);
  for (const double expected : {0x1.8409e688155ebp-1, -0x1.769d11ae635abp+0, -0x1.180f29f3fd2e9p-2,
                                0x1.77d105f342e99p+0, -0x1.8e1d97cef8b8dp+0}) {
    EXPECT_EQ(normals.normal(), expected);
  }
  Rng whole(123);
  for (const Index expected : {4, 8, 9, 9, 4, 7, 0, 8, 2, 3, 4, 3})
    EXPECT_EQ(whole.below(10), expected);
  Rng order(123);
  EXPECT_EQ(order.permutation(11), (std::vector<Index>{5, 1, 4, 2, 9, 6, 7, 3, 10, 8, 0}));
  EXPECT_EQ(Rng(0).next(), 0x53175d61490b23dfU);
}

TEST(Rng, ScalarDrawsRoundTheSameDraw) {
  Rng a(5);
  Rng b(5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.uniform(0, 1), static_cast<Scalar>(b.uniform()));
}

TEST(Rng, BelowIsFair) {
  Rng rng(163);
  int counts[7] = {};
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000;
  EXPECT_LT(chi_squared, 22.5);  // one in a thousand draws of 6 degrees of freedom lies above
  EXPECT_EQ(rng.below(1), 0);
}

// 2^64 holds this count only 2.67 times: with a plain remainder its lower two thirds would come up
// in three draws of four.
TEST(Rng, BelowIsFairForHugeCounts) {
  Rng rng(167);
  const Index count = Index{3} << 61;  // 0.75 · 2^63
  int low = 0;
  for (int i = 0; i < 10000; ++i) {
    const Index draw = rng.below(count);
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, count);
    low += draw < (Index{1} << 62) ? 1 : 0;
  }
  EXPECT_NEAR(low, 6667, 250);
  EXPECT_LT(rng.below(INT64_MAX), INT64_MAX);
}

TEST(Rng, PermutationsHoldEachNumberOnce) {
  Rng rng(173);
  EXPECT_EQ(rng.permutation(0), std::vector<Index>{});
  EXPECT_EQ(rng.permutation(1), std::vector<Index>{0});
  std::set<std::vector<Index>> seen;
  for (int i = 0; i < 300; ++i) {
    std::vector<Index> order = rng.permutation(4);
    seen.insert(order);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order, (std::vector<Index>{0, 1, 2, 3}));
  }
  EXPECT_EQ(seen.size(), 24u);
}

TEST(Rng, StateContinuesWhereItWasTaken) {
  Rng rng(123);
  EXPECT_EQ(rng.state(), "b4dc9bd462de412b fa023ce9f06fb77c dc12d311d371cbe8 afd2040c909881ff");
  rng.normal();
  rng.below(3);
  const std::string state = rng.state();
  const double next = rng.normal();
  Rng other(9);
  other.set_state(state);
  EXPECT_EQ(other.normal(), next);
  EXPECT_EQ(other.state(), rng.state());
  other.set_state("0 0 0 1");
  EXPECT_EQ(other.state(), "0 0 0 1");
}

TEST(Rng, RefusesOtherStates) {
  Rng rng(123);
  const std::string before = rng.state();
  for (const char* text :
       {"", "1 2 3", "1 2 3 4 5", "1 2 3 4 ", " 1 2 3 4", "1  2 3 4", "1 2 3 g", "-1 2 3 4",
        "0x1 2 3 4", "1,2,3,4", "0 0 0 0", "11111111111111111 2 3 4"}) {
    EXPECT_THROW(rng.set_state(text), std::invalid_argument) << text;
  }
  EXPECT_EQ(message_of<std::invalid_argument>([&] { rng.set_state("no"); }),
            "Rng::set_state: 'no' is no state; it must be four hexadecimal words, not all 0");
  EXPECT_EQ(rng.state(), before);
}

TEST(Rng, NamesWhatIsWrong) {
  Rng rng(1);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { rng.below(0); }),
            "Rng::below: count is 0; it must be 1 or more");
  EXPECT_THROW(rng.below(INT64_MIN), std::invalid_argument);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { rng.permutation(-1); }),
            "Rng::permutation: count is -1; it must be 0 or more");
  EXPECT_THROW(rng.uniform(1, 0), std::invalid_argument);
}

TEST(Rng, ALongStateIsShownShortened) {
  Rng rng(1);
  const std::string text =
      test::message_of<std::invalid_argument>([&] { rng.set_state(std::string(100'000, '1')); });
  EXPECT_LT(text.size(), 300U);
}

}  // namespace
}  // namespace vitro
