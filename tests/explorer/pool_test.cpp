// The explorer's pool of numbers: equal tensors once.
#include "autograd/explorer/pool.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "tensor/create.h"

namespace vitro::explorer {
namespace {

TEST(ExplorerPool, WhatIsThereAlreadyTakesNoRoomOfThePage) {
  Pool pool;
  const Tensor most = zeros({kMaxPageBytes / 8});  // two of these are more than a page
  EXPECT_EQ(pool.add(most), 0);
  EXPECT_EQ(pool.add(most), 0);
  EXPECT_EQ(pool.float_count(), most.element_count());
  EXPECT_THROW(pool.add(ones({kMaxPageBytes / 8})), std::length_error);
}

}  // namespace
}  // namespace vitro::explorer
