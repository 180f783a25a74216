#include "tensor/float_check.h"

#include <cfenv>
#include <gtest/gtest.h>
#include <string>

namespace vitro {
namespace {

TEST(FloatCheck, BL07_FindsNothingWithOurOwnFlags) {
  EXPECT_EQ(float_fault(), "");
  EXPECT_NO_THROW(check_floats());
}

TEST(FloatCheck, FindsAnotherRoundingMode) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const std::string fault{float_fault()};
    std::fesetround(FE_TONEAREST);
    EXPECT_NE(fault, "") << "mode " << mode;
  }
  EXPECT_EQ(float_fault(), "");
}

}  // namespace
}  // namespace vitro
