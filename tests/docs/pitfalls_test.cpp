#include "tests/docs/pitfalls.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace vitro::docs {
namespace {

std::set<std::string> all_tests() {
  namespace fs = std::filesystem;
  std::set<std::string> tests =
      tests_of_build_flags(read_text(VITRO_SOURCE_DIR "/tests/build_flags/CMakeLists.txt"));
  for (const auto& entry : fs::recursive_directory_iterator(VITRO_SOURCE_DIR "/tests")) {
    if (entry.path().extension() == ".cpp") {
      tests.merge(tests_of_source(read_text(entry.path().string())));
    }
  }
  return tests;
}

TEST(Pitfalls, PageAndTestsAgree) {
  const Page page = parse_page("docs/pitfalls.md", read_text(VITRO_SOURCE_DIR "/docs/pitfalls.md"));
  const std::set<std::string> tests = all_tests();
  EXPECT_GT(tests.size(), 500U);
  for (const Finding& finding : pitfall_faults(page, tests, pitfall_ids())) {
    ADD_FAILURE() << page.path << ":" << finding.line << ": " << finding.what;
  }
}

// Two rows, their three tests, and one that has no id.
const std::string kTable = "| id | what | does | tests |\n|---|---|---|---|\n";
const std::string kFirst = "| BL-01 | `x` | y | `A.BL01_One` `A.BL01_Two` |\n";
const std::string kSecond = "| BL-07 | x | y | `b.BL07_fast` |\n";
const std::set<std::string> kTests{"A.BL01_One", "A.BL01_Two", "b.BL07_fast", "A.Other"};

std::vector<std::string> faults(const std::string& rows, const std::set<std::string>& tests,
                                const std::vector<std::string>& ids = {"01", "07"}) {
  std::vector<std::string> texts;
  for (const Finding& finding : pitfall_faults(parse_page("page.md", kTable + rows), tests, ids)) {
    texts.push_back(std::to_string(finding.line) + ": " + finding.what);
  }
  return texts;
}

std::set<std::string> with(std::set<std::string> tests, const std::string& more) {
  tests.insert(more);
  return tests;
}

using Texts = std::vector<std::string>;

TEST(Pitfalls, SpoiledPagesAreFound) {
  EXPECT_EQ(faults(kFirst + kSecond, kTests), Texts{});
  EXPECT_EQ(faults(kFirst + kSecond, {"A.BL01_One", "b.BL07_fast"}),
            Texts{"3: there is no test A.BL01_Two"});
  EXPECT_EQ(faults(kFirst + kSecond, with(kTests, "A.BL07_More")),
            Texts{"0: A.BL07_More is in no row of its id"});
  EXPECT_EQ(faults(kFirst + kSecond, with(kTests, "A.BL99_More")),
            Texts{"0: A.BL99_More is in no row of its id"});
  EXPECT_EQ(faults(kFirst, kTests),
            (Texts{"0: BL-07 has no row", "0: b.BL07_fast is in no row of its id"}));
  EXPECT_EQ(faults(kFirst + kSecond, kTests, {"01", "07", "08"}), Texts{"0: BL-08 has no row"});
  EXPECT_EQ(faults(kFirst + kSecond, kTests, {"01"}), Texts{"4: BL-07 is no known pitfall"});
  EXPECT_EQ(faults(kFirst + kFirst + kSecond, kTests), Texts{"4: BL-01 has another row"});
  EXPECT_EQ(faults(kFirst + "| BL-07 | x | y | `A.Other` `b.BL07_fast` |\n", kTests),
            Texts{"4: A.Other is not named after BL-07"});
  EXPECT_EQ(faults(kFirst + "| BL-07 | x | y | |\n", {"A.BL01_One", "A.BL01_Two"}),
            Texts{"4: no test is named after BL-07"});
  EXPECT_EQ(faults("| BL-01 | x | y | `A.BL01One` |\n", {"A.BL01One"}, {"01"}),
            Texts{"0: A.BL01One must have the form BL01_Words"});
}

TEST(Pitfalls, TestsAreFoundInSources) {
  EXPECT_EQ(tests_of_source("TEST(A, BL01_One) {\n}\n\nTEST_P(B,\n       Two) {\n  TEST(C, No)\n}"),
            (std::set<std::string>{"A.BL01_One", "B.Two"}));
  EXPECT_EQ(tests_of_build_flags("# BL-07\n  NAME build_flags.BL07_configure${flag}\n"
                                 "vitro_flag_test(BL07_fast \"x\")\nvitro_flag_test(other)"),
            (std::set<std::string>{"build_flags.BL07_configure", "build_flags.BL07_fast"}));
}

}  // namespace
}  // namespace vitro::docs
