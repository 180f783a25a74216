// Who watches a thread, where watches end in another order than they began.
#include "autograd/observer.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <vector>

#include "tensor/context.h"
#include "tensor/create.h"

#include "autograd/ops.h"
#include "autograd/profile.h"
#include "autograd/trace.h"

namespace vitro {
namespace {

class Counter : public Observer {
 public:
  void operation_ends(const std::shared_ptr<Node>& /*node*/,
                      const std::vector<Operand>& /*inputs*/) override {
    count += 1;
  }

  int count = 0;
};

TEST(Observer, ScopesEndInAnyOrder) {
  const Variable x = parameter(ones({2}));
  Counter first;
  Counter second;
  Counter third;
  std::optional<ObserverScope> first_scope(first);
  std::optional<ObserverScope> second_scope(second);
  std::optional<ObserverScope> third_scope(third);
  tanh(x);
  second_scope.reset();
  tanh(x);
  third_scope.reset();
  tanh(x);
  first_scope.reset();
  tanh(x);
  EXPECT_EQ(third.count, 2);
  EXPECT_EQ(second.count, 0);
  EXPECT_EQ(first.count, 1);
  EXPECT_EQ(context().observer, nullptr);
}

TEST(Observer, AProfileMayEndBeforeALaterTrace) {
  const Variable x = parameter(ones({2}));
  {
    Profile profile;
    Trace trace;
    tanh(x);
    profile.report();
    tanh(x);
    trace.stop();
    tanh(x);
  }
  EXPECT_EQ(context().observer, nullptr);
  tanh(x);
}

TEST(Observer, TracesThatEndInTheirOrderLeaveNothingBehind) {
  Trace first;
  Trace second;
  first.stop();
  EXPECT_NE(context().spelled_out, 0);
  second.stop();
  EXPECT_EQ(context().spelled_out, 0);
  EXPECT_EQ(context().observer, nullptr);
}

}  // namespace
}  // namespace vitro
