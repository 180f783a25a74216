#include "examples/common/progress.h"

#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <string>

namespace vitro::examples {
namespace {

class ProgressTest : public testing::Test {
 protected:
  ProgressOptions options() {
    return {.step_count = 40, .tokens_per_step = 1000, .interval = 20, .seconds = [this] {
              return time_;
            }};
  }

  double time_ = 100;
  std::ostringstream out_;
};

TEST_F(ProgressTest, PlainLinesAnInterval) {
  {
    Progress progress(options(), out_);
    for (Index step = 1; step <= 40; ++step) {
      time_ += 0.5;
      progress.update(step, 1.0 / double(step));
    }
  }
  EXPECT_EQ(out_.str(),
            "step  1/40  loss 1.0000  2.0k tokens/s  20 s left\n"
            "step 20/40  loss 0.0500  2.0k tokens/s  10 s left\n"
            "step 40/40  loss 0.0250  2.0k tokens/s  20.00 s\n");
}

TEST_F(ProgressTest, OnATerminalOneLineIsRedrawn) {
  ProgressOptions terminal = options();
  terminal.is_terminal = true;
  {
    Progress progress(terminal, out_);
    progress.update(1, 2);
    progress.update(2, 2);  // at the same moment: not drawn
    time_ += 1;
    progress.update(20, 2);
  }
  const std::string text = out_.str();
  EXPECT_EQ(text.find("step  2/40"), std::string::npos);
  EXPECT_TRUE(text.starts_with("\r\x1b[Kstep  1/40 ─"));
  EXPECT_NE(text.find("\r\x1b[Kstep 20/40 ━━━━━━━━━━━━─"), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b[38"), std::string::npos) << "colour without being asked for";
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "the line ends with the object, once";
}

TEST_F(ProgressTest, TheLastStepEndsTheLine) {
  ProgressOptions terminal = options();
  terminal.is_terminal = true;
  terminal.has_color = true;
  Progress progress(terminal, out_);
  progress.update(40, 0.5);
  progress.finish();
  EXPECT_TRUE(out_.str().ends_with("s\n")) << out_.str();
  EXPECT_NE(out_.str().find("\x1b[38;5;172m"), std::string::npos);
}

TEST_F(ProgressTest, SurvivesOddNumbers) {
  ProgressOptions odd = options();
  odd.step_count = 0;
  odd.interval = 0;
  odd.tokens_per_step = std::numeric_limits<Index>::max();
  Progress progress(odd, out_);
  progress.update(0, std::numeric_limits<double>::quiet_NaN());
  progress.update(1, std::numeric_limits<double>::infinity());
  EXPECT_NE(out_.str().find("loss nan"), std::string::npos);
  EXPECT_NE(out_.str().find("loss inf"), std::string::npos);
}

TEST(DurationText, ReadsWell) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(12'000), "3 h 20 min");
  EXPECT_EQ(duration_text(-1), "?");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "?");
}

TEST(RateText, ReadsWell) {
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(999.4), "999");
  EXPECT_EQ(rate_text(999.6), "1.0k");
  EXPECT_EQ(rate_text(45'120), "45.1k");
  EXPECT_EQ(rate_text(812'345), "812k");
  EXPECT_EQ(rate_text(3'210'000), "3.2M");
  EXPECT_EQ(rate_text(std::numeric_limits<double>::infinity()), "?");
}

TEST(LossText, NeverShowsOnlyZeros) {
  EXPECT_EQ(loss_text(2.302585), "2.3026");
  EXPECT_EQ(loss_text(0.000012), "1.2e-05");
  EXPECT_EQ(loss_text(0), "0.0000");
}

}  // namespace
}  // namespace vitro::examples
