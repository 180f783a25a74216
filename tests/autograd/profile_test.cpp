#include "autograd/profile.h"

#include <gtest/gtest.h>

#include "tensor/create.h"
#include "tensor/random.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

namespace vitro {
namespace {

const ProfileEntry& entry(const std::vector<ProfileEntry>& entries, const std::string& name) {
  for (const ProfileEntry& each : entries) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

TEST(Profile, CountsCallsWorkAndMemory) {
  Rng rng(1);
  const Variable a = parameter(normal({3, 5}, 0, 1, rng));
  const Variable b = parameter(normal({5, 7}, 0, 1, rng));
  Profile profile;
  sum(matmul(a, b)).backward();
  sum(tanh(transpose(a, 0, 1))).backward();
  {
    const NoGrad no_grad;
    matmul(a, b);  // counts as time between
  }
  profile.stop();
  matmul(a, b);  // nobody watches any more
  const std::vector<ProfileEntry> operations = profile.by_operation();
  const ProfileEntry& product = entry(operations, "matmul");
  EXPECT_EQ(product.call_count, 1);
  EXPECT_EQ(product.multiply_adds, 3 * 3 * 5 * 7);  // one product forward, two backward
  EXPECT_EQ(product.bytes_made, 3 * 7 * double(sizeof(Scalar)));
  EXPECT_EQ(entry(operations, "transpose").bytes_made, 0);  // a view
  EXPECT_EQ(entry(operations, "sum").call_count, 2);
  EXPECT_EQ(profile.totals().step_count, 2);
  EXPECT_GT(profile.totals().most_bytes_in_use, 0);
  EXPECT_EQ(profile.by_module().size(), 1u);
}

TEST(Profile, AViewOfAViewTakesNoMemory) {
  const Variable x = parameter(ones({4, 4}));
  Profile profile;
  narrow(narrow(x, 1, 0, 2), 0, 3, 1);  // the row lies behind the 8 numbers that the first view has
  profile.stop();
  EXPECT_EQ(entry(profile.by_operation(), "narrow").bytes_made, 0);
}

// The next node may get the address of one whose history was dropped, but not its work.
TEST(Profile, WorkOfADroppedHistoryIsForgotten) {
  const Variable x = parameter(ones({4, 4}));
  Profile profile;
  for (int i = 0; i < 8; ++i) {
    matmul(x, x);
    sum(tanh(x)).backward();
  }
  profile.stop();
  EXPECT_EQ(entry(profile.by_operation(), "tanh").multiply_adds, 0);
  EXPECT_EQ(entry(profile.by_operation(), "sum").multiply_adds, 0);
}

TEST(Profile, ReportNamesTheShares) {
  const Variable x = parameter(ones({4, 4}), "x");
  Profile profile;
  sum(matmul(x, x)).backward();
  const std::string report = profile.report();
  for (const char* part : {"profile of 1 steps", "forward", "backward", "optimizer", "GFLOP/s",
                           "matmul", "module", "MB of tensors"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
  }
}

}  // namespace
}  // namespace vitro
