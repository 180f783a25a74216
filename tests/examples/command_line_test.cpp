#include "examples/common/command_line.h"

#include <gtest/gtest.h>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/error.h"
#include "tensor/tensor.h"

#include "examples/common/run_main.h"
#include "examples/common/terminal.h"

#include "tests/support/german.h"

namespace vitro::examples {
namespace {

struct Values {
  Index max_iters = 100;
  double learning_rate = 0.01;
  std::string save;
  std::string color = "auto";
  bool quick = false;
};

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    line_.integer("max_iters", values_.max_iters, 1, 1'000'000, "training steps", {"steps"});
    line_.number("learning_rate", values_.learning_rate, 0, 10, "how far a step goes");
    line_.text("save", values_.save, "FILE", "writes the weights");
    line_.flag("quick", values_.quick, "shorter");
    add_color_option(line_, values_.color);
  }

  bool parse(const std::vector<std::string>& arguments) { return line_.parse(arguments, out_); }

  // The error's text; "" where there was none.
  std::string error(const std::vector<std::string>& arguments) {
    try {
      parse(arguments);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  Values values_;
  CommandLine line_{"program", "does something."};
  std::ostringstream out_;
};

TEST_F(CommandLineTest, TakesBothFormsAndBothSeparators) {
  EXPECT_TRUE(parse({"--max-iters", "7", "--learning_rate=0.5", "--quick", "--save=a=b c"}));
  EXPECT_EQ(values_.max_iters, 7);
  EXPECT_EQ(values_.learning_rate, 0.5);
  EXPECT_TRUE(values_.quick);
  EXPECT_EQ(values_.save, "a=b c");
  EXPECT_TRUE(line_.was_given("max_iters"));
  EXPECT_FALSE(line_.was_given("color"));
}

TEST_F(CommandLineTest, KeepsDefaults) {
  EXPECT_TRUE(parse({}));
  EXPECT_EQ(values_.max_iters, 100);
  EXPECT_EQ(values_.color, "auto");
}

TEST_F(CommandLineTest, KnowsOtherNames) {
  parse({"--steps=3"});
  EXPECT_EQ(values_.max_iters, 3);
  EXPECT_TRUE(line_.was_given("max_iters"));
  EXPECT_EQ(error({"--steps=3", "--max_iters=4"}), "--max_iters: given more than once");
}

TEST_F(CommandLineTest, HelpComesFromTheTable) {
  EXPECT_FALSE(parse({"--help"}));
  EXPECT_EQ(
      out_.str(),
      "program: does something.\n\n"
      "usage: program [options]\n\n"
      "  --max_iters N              training steps (1 to 1000000; default 100; also --steps)\n"
      "  --learning_rate X          how far a step goes (0 to 10; default 0.01)\n"
      "  --save FILE                writes the weights\n"
      "  --quick                    shorter\n"
      "  --color auto|always|never  colours in the terminal; auto heeds NO_COLOR "
      "(default auto)\n"
      "  --help                     prints this and ends\n");
}

TEST_F(CommandLineTest, SuggestsTheNearestOption) {
  EXPECT_EQ(error({"--max_itters", "5"}),
            "unknown option '--max_itters'; did you mean --max_iters?");
  EXPECT_EQ(error({"--stpes=5"}), "unknown option '--stpes'; did you mean --steps?");
  EXPECT_EQ(error({"--learn=5"}), "unknown option '--learn'; did you mean --learning_rate?");
  EXPECT_EQ(error({"--bananas"}), "unknown option '--bananas'; --help lists all");
  EXPECT_EQ(error({"--"}), "unknown option '--'; --help lists all");
}

TEST_F(CommandLineTest, RefusesWrongNumbers) {
  const std::string range = " is not from 1 to 1000000";
  EXPECT_EQ(error({"--steps=-1"}), "--max_iters: '-1'" + range);
  EXPECT_EQ(error({"--steps", "-1"}), "--max_iters: '-1'" + range);
  EXPECT_EQ(error({"--steps=0"}), "--max_iters: '0'" + range);
  EXPECT_EQ(error({"--steps=1000001"}), "--max_iters: '1000001'" + range);
  EXPECT_EQ(error({"--steps=99999999999999999999"}), "--max_iters: '99999999999999999999'" + range);
  for (const char* text : {"5x", "1.5", "1e3", " 5", "5 ", "+5", "0x10", "five", "--"}) {
    EXPECT_EQ(error({std::string("--steps=") + text}),
              "--max_iters: '" + std::string(text) + "' is not a whole number");
  }
}

TEST_F(CommandLineTest, RefusesWrongFractions) {
  EXPECT_EQ(error({"--learning_rate=1e999"}), "--learning_rate: '1e999' is not from 0 to 10");
  EXPECT_EQ(error({"--learning_rate=inf"}), "--learning_rate: 'inf' is not from 0 to 10");
  EXPECT_EQ(error({"--learning_rate=-1e-3"}), "--learning_rate: '-1e-3' is not from 0 to 10");
  EXPECT_EQ(error({"--learning_rate=nan"}), "--learning_rate: 'nan' is not a number");
  EXPECT_EQ(error({"--learning_rate=0,5"}), "--learning_rate: '0,5' is not a number");
  EXPECT_EQ(error({"--learning_rate=1e-3"}), "");
}

TEST_F(CommandLineTest, RefusesMissingEmptyRepeatedAndSuperfluousValues) {
  EXPECT_EQ(error({"--save"}), "--save: needs a value, --save FILE");
  EXPECT_EQ(error({"--save", "--quick"}), "--save: needs a value, --save FILE");
  EXPECT_EQ(error({"--save="}), "--save: the value is empty");
  EXPECT_EQ(error({"--save", ""}), "--save: the value is empty");
  EXPECT_EQ(error({"--steps="}), "--max_iters: the value is empty");
  EXPECT_EQ(error({"--quick=yes"}), "--quick: takes no value");
  EXPECT_EQ(error({"--quick", "--quick"}), "--quick: given more than once");
  EXPECT_EQ(error({"--color=red"}), "--color: 'red' is none of auto|always|never");
}

TEST_F(CommandLineTest, RefusesWhatIsNoOption) {
  EXPECT_EQ(error({"5"}), "unexpected '5'; options start with --");
  EXPECT_EQ(error({""}), "unexpected ''; options start with --");
  EXPECT_EQ(error({"-"}), "unexpected '-'; options start with --");
  EXPECT_EQ(error({"-quick"}), "options start with two dashes: --quick");
}

// One line, and nothing that a terminal would obey.
TEST_F(CommandLineTest, ErrorsAreOneSafeLine) {
  const std::string text = error({"--steps=\x1b[2J\n" + std::string(5000, 'x')});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 200u);
}

TEST_F(CommandLineTest, ChangesNothingWhereAnythingIsWrong) {
  EXPECT_NE(error({"--steps=7", "--quick", "--learning_rate=x"}), "");
  EXPECT_EQ(values_.max_iters, 100);
  EXPECT_FALSE(values_.quick);
}

// Numbers are read and written with a point, whatever the user's language.
TEST_F(CommandLineTest, BL84_HeedsNoLocale) {
  const test::GermanLocale german;
  std::ostringstream out;  // of that locale
  EXPECT_FALSE(line_.parse({"--help"}, out));
  EXPECT_NE(out.str().find("1 to 1000000"), std::string::npos);
  EXPECT_EQ(error({"--learning_rate=0,5"}), "--learning_rate: '0,5' is not a number");
  EXPECT_EQ(error({"--learning_rate", "0.001", "--steps=20000"}), "");
  EXPECT_EQ(values_.learning_rate, 0.001);
  EXPECT_EQ(values_.max_iters, 20000);
  EXPECT_EQ(join_text({values_.learning_rate, " ", values_.max_iters}), "0.001 20000");
}

TEST(CommandLineTable, RefusesTwoOptionsOfOneName) {
  CommandLine line("program", "");
  bool flag = false;
  line.flag("quick", flag, "");
  EXPECT_THROW(line.flag("quick", flag, ""), std::logic_error);
}

TEST(EditDistance, CountsSteps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("steps", "stpes"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(RunMain, TurnsExceptionsIntoExitCodes) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_main("p", [] { return 0; }), 0);
  EXPECT_EQ(run_main("p", [] { return 130; }), 130);
  EXPECT_EQ(run_main("p", []() -> int { throw UsageError("bad option"); }), 2);
  EXPECT_EQ(run_main("p", []() -> int { throw std::runtime_error("two\nlines"); }), 1);
  EXPECT_EQ(run_main("p", []() -> int { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "p: bad option\np: two\\nlines\np: not enough memory\n");
}

TEST(ChooseColor, HeedsTheUserThenTheTerminal) {
  const TerminalState rich{true, "", "xterm-256color", "truecolor"};
  EXPECT_EQ(choose_color("auto", rich), TerminalColor::kTruecolor);
  EXPECT_EQ(choose_color("auto", {true, "", "xterm", ""}), TerminalColor::k256);
  EXPECT_EQ(choose_color("auto", {true, "1", "xterm", "truecolor"}), TerminalColor::kNone);
  EXPECT_EQ(choose_color("auto", {true, "", "dumb", ""}), TerminalColor::kNone);
  EXPECT_EQ(choose_color("auto", {false, "", "xterm", "truecolor"}), TerminalColor::kNone);
  EXPECT_EQ(choose_color("never", rich), TerminalColor::kNone);
  EXPECT_EQ(choose_color("always", {false, "1", "dumb", ""}), TerminalColor::k256);
}

}  // namespace
}  // namespace vitro::examples
