// Every check is fed with pages that it must pass and with the same pages spoiled.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/docs/checks.h"
#include "tests/docs/transcripts.h"
#include "tests/docs/update.h"

namespace vitro::docs {
namespace {

const std::string kTwice = "// Twice x.\nint twice(int x) {\n  return 2 * x;\n}\n";

Tree small_tree() {
  Tree tree;
  tree.files = {"docs/map.md", "docs/page.md",      "nn/a.h",
                "nn/a.cpp",    "docs/images/a.svg", "examples/01_a.cpp"};
  tree.folders = {"docs", "docs/images", "nn", "examples", "tests/odd"};
  tree.sources["nn/a.cpp"] = "int twice(int x);\n\nint half(int x) { return x / 2; }\n\n" + kTwice +
                             "\nclass A {\n  int f() {\n    return 1;\n  }\n};\n";
  tree.outputs["examples/expected/01.txt"] = "$ 01_a --n_embd 4\nfirst 1\nsecond 2\n\nthird 3.5\n";
  tree.outputs["docs/performance/a.txt"] = "naive 1.5 GFLOP/s\n";
  tree.names = {"twice", "half", "A", "f", "n_embd", "Tensor"};
  tree.programs = {"01_a"};
  return tree;
}

std::vector<int> lines_found(Check check, const std::string& text,
                             const std::string& path = "docs/page.md") {
  std::vector<int> lines;
  for (const Finding& finding : check(parse_page(path, text), small_tree())) {
    lines.push_back(finding.line);
  }
  return lines;
}

using Lines = std::vector<int>;

std::string fence(const std::string& info, const std::string& text) {
  return "```" + info + "\n" + text + "```\n";
}

TEST(Definitions, AreWholeAndFoundByName) {
  const std::string source = small_tree().sources["nn/a.cpp"];
  EXPECT_EQ(find_definition(source, "twice"), kTwice);
  EXPECT_EQ(find_definition(source, "half"), "int half(int x) { return x / 2; }\n");
  EXPECT_EQ(find_definition(source, "A"), "class A {\n  int f() {\n    return 1;\n  }\n};\n");
  EXPECT_EQ(find_definition(source, "thrice"), std::nullopt);
  EXPECT_EQ(find_definition(source, "twice(2)"), std::nullopt);
  EXPECT_EQ(find_definition("int f() {\n}\n\nint f(int) {\n}\n", "f(2)"), "int f(int) {\n}\n");
  EXPECT_EQ(find_definition("Variable A::f(const X& x,\n              int y) {\n}\n", "A::f"),
            "Variable A::f(const X& x,\n              int y) {\n}\n");
}

TEST(Spoiled, Snippets) {
  const auto check = quotes_are_true;
  EXPECT_EQ(lines_found(check, fence("cpp from=nn/a.cpp#twice", kTwice)), Lines{});
  EXPECT_EQ(lines_found(check, fence("cpp from=nn/a.cpp#twice", kTwice + "\n")), Lines{1});
  EXPECT_EQ(lines_found(check, fence("cpp from=nn/a.cpp#thrice", kTwice)), Lines{1});
  EXPECT_EQ(lines_found(check, fence("cpp from=nn/b.cpp#twice", kTwice)), Lines{1});
  EXPECT_EQ(lines_found(check, "\n" + fence("cpp", kTwice)), Lines{2}) << "quotes nothing";
  EXPECT_EQ(lines_found(check, "a\n```cpp from=nn/a.cpp#twice\n" + kTwice), Lines{2}) << "no end";
  EXPECT_EQ(lines_found(check, fence("", "a drawing\n")), Lines{});
}

TEST(Spoiled, Outputs) {
  const auto check = quotes_are_true;
  const std::string from = "text from=examples/expected/01.txt";
  EXPECT_EQ(lines_found(check, fence(from + " start=first", "first 1\nsecond 2\n")), Lines{});
  EXPECT_EQ(lines_found(check, fence(from + " start=first lines=1", "first 1\n")), Lines{});
  EXPECT_EQ(lines_found(check, fence(from, "first 1\nsecond 2\n\nthird 3.5\n")), Lines{});
  EXPECT_EQ(lines_found(check, fence(from + " start=first", "first 1\nsecond 3\n")), Lines{1});
  EXPECT_EQ(lines_found(check, fence(from + " start=fourth", "first 1\n")), Lines{1});
  EXPECT_EQ(lines_found(check, fence("text", "first 1\n")), Lines{1});
}

TEST(Spoiled, Diffs) {
  const std::string from = "diff from=nn/a.cpp";
  EXPECT_EQ(lines_found(quotes_are_true, fence(from, "-  return 2 * x;\n+  return 3 * x;\n")),
            Lines{});
  EXPECT_EQ(lines_found(quotes_are_true, fence(from, "-  return 4 * x;\n")), Lines{1});
  EXPECT_EQ(lines_found(quotes_are_true, fence("diff from=nn/c.cpp", "-  return;\n")), Lines{1});
}

TEST(Spoiled, Paths) {
  EXPECT_EQ(lines_found(paths_exist, "`nn/a.h` and `nn/` and `a.cpp`\n"), Lines{});
  EXPECT_EQ(lines_found(paths_exist, "`nn/b.h`\n`c.cpp`\n"), (Lines{1, 2}));
  EXPECT_EQ(lines_found(paths_exist, "`build/release/examples/01_a`\n"), Lines{});
  EXPECT_EQ(lines_found(paths_exist, "`build/release/examples/02_b`\n"), Lines{1});
}

TEST(Spoiled, Symbols) {
  EXPECT_EQ(lines_found(symbols_exist, "`twice`, `A::f`, `half(x)`, `--n_embd 3`, `01_a`\n"),
            Lines{});
  EXPECT_EQ(lines_found(symbols_exist, "`thrice`\n`A::g`\n`quarter(x)`\n`--n-head`\n"),
            (Lines{1, 2, 3, 4}));
  EXPECT_EQ(lines_found(symbols_exist, "`x + 1` is a formula, and thrice is a word\n"), Lines{});
}

TEST(Spoiled, Links) {
  EXPECT_EQ(lines_found(links_resolve, "# A b\n[a](../nn/a.h) ![](images/a.svg) [b](#a-b)\n"),
            Lines{});
  EXPECT_EQ(lines_found(links_resolve, "[a](../nn/b.h)\n[b](#nowhere)\n"), (Lines{1, 2}));
  EXPECT_EQ(lines_found(links_resolve, "[a](https://example.org/a)\n"), Lines{});
}

TEST(Spoiled, Commands) {
  const auto sh = [](const std::string& command) {
    return lines_found(commands_exist, fence("sh", command + "\n"));
  };
  EXPECT_EQ(sh("cmake --build x && build/release/examples/01_a --n_embd 3  # --words"), Lines{});
  EXPECT_EQ(sh("build/release/examples/02_b"), Lines{2});
  EXPECT_EQ(sh("build/release/examples/01_a --n_layer 3"), Lines{2});
}

TEST(Spoiled, Timings) {
  const auto check = timings_are_recorded;
  EXPECT_EQ(lines_found(check, "Three steps, 4 heads, 16 s-shaped things, 10 symbols.\n"), Lines{});
  EXPECT_EQ(lines_found(check, "It takes 3 s.\nAbout 20 minutes\n95 GFLOP/s\n3 times faster\n"),
            (Lines{1, 2, 3, 4}));
  const std::string speed = "naive 1.5 GFLOP/s\n";
  EXPECT_EQ(lines_found(check, fence("", speed)), Lines{1});
  EXPECT_EQ(lines_found(check, fence("text from=docs/performance/a.txt", speed)), Lines{});
}

TEST(Spoiled, Formulas) {
  const auto check = formulas_are_balanced;
  EXPECT_EQ(lines_found(check, "$a^{2}$ and\n$$\n\\left(\\frac{1}{2}\\right)\n$$\n"), Lines{});
  EXPECT_EQ(lines_found(check, "$a^{2$\n"), Lines{1});
  EXPECT_EQ(lines_found(check, "\n$a^2}$\n"), Lines{2});
  EXPECT_EQ(lines_found(check, "costs $a\n"), Lines{1});
  EXPECT_EQ(lines_found(check, "$$\\left( a$$\n"), Lines{1});
  EXPECT_EQ(lines_found(check, "$$\\begin{aligned} a$$\n"), Lines{1});
  EXPECT_EQ(lines_found(check, "$ a$\n"), Lines{1});
}

TEST(Spoiled, Chapters) {
  const std::string path = "docs/book/01_a.md";
  std::string parts;
  for (const char* part : {"The idea", "The mathematics", "The code", "Run it", "Step through it",
                           "Break it", "Exercises", "Questions", "Where to go next"}) {
    parts += "## " + std::string(part) + "\n";
  }
  std::string words;
  for (int i = 0; i < 900; ++i) words += "word ";
  EXPECT_EQ(lines_found(chapters_are_whole, parts + words, path), Lines{});
  EXPECT_EQ(lines_found(chapters_are_whole, parts + "few words", path), Lines{1});
  EXPECT_EQ(lines_found(chapters_are_whole, parts + words + words + words, path), Lines{1});
  EXPECT_EQ(lines_found(chapters_are_whole, parts.substr(12) + words, path), Lines{1});
  EXPECT_EQ(lines_found(chapters_are_whole, "few words", "docs/map.md"), Lines{});
}

TEST(Spoiled, Maps) {
  Tree tree = small_tree();
  tree.sources["autograd/ops.h"] = "\nVariable twice(const Operand& x);\n";
  tree.sources["nn/a.h"] = "\nclass A : public Layer {\n";
  const auto lines = [&](const std::string& text) {
    return map_is_complete(parse_page("docs/map.md", text), tree).size();
  };
  EXPECT_EQ(lines("`twice` `A` `nn/a.h` `examples/01_a.cpp` `tests/odd/`\n"), 0U);
  EXPECT_EQ(lines("`A` `nn/a.h` `examples/01_a.cpp` `tests/odd/`\n"), 1U);
  EXPECT_EQ(lines("`twice` `nn/a.h` `examples/01_a.cpp` `tests/odd/`\n"), 1U);
  EXPECT_EQ(lines("`twice` `A` `examples/01_a.cpp` `tests/odd/`\n"), 1U);
  EXPECT_EQ(lines("`twice` `A` `nn/a.h` `tests/odd/`\n"), 1U);
  EXPECT_EQ(lines("`twice` `A` `nn/a.h` `examples/01_a.cpp`\n"), 1U);
}

TEST(Spoiled, TranscriptsWithinToleranceOnly) {
  const auto differ = [](const std::string& before, const std::string& now) {
    return difference(before, now, 1e-3).has_value();
  };
  EXPECT_FALSE(differ("loss: 2.3023, 5 steps\n", "loss: 2.3024, 5 steps\n"));
  EXPECT_FALSE(differ("  1.0000\n", "10.0000e-1\n"));
  EXPECT_TRUE(differ("loss: 2.3023\n", "loss: 2.3123\n"));
  EXPECT_TRUE(differ("5 steps\n", "6 steps\n")) << "whole numbers are exact";
  EXPECT_TRUE(differ("right\n", "wrong\n"));
  EXPECT_TRUE(differ("a\n", "a\nb\n"));
  EXPECT_EQ(parse_transcript("$ 01_a --n_embd 4\nx\n")->arguments, "--n_embd 4");
  EXPECT_FALSE(parse_transcript("01_a\nx\n"));
}

TEST(Update, WritesWhatIsQuotedAndReachesAFixedPoint) {
  const Tree tree = small_tree();
  const std::string stale = "a\n" + fence("cpp from=nn/a.cpp#twice", "old\n") + "b\n" +
                            fence("text from=examples/expected/01.txt start=second", "") + "c\n";
  const std::string fresh = updated_page(parse_page("docs/page.md", stale), tree);
  EXPECT_EQ(fresh, "a\n" + fence("cpp from=nn/a.cpp#twice", kTwice) + "b\n" +
                       fence("text from=examples/expected/01.txt start=second", "second 2\n") +
                       "c\n");
  EXPECT_EQ(updated_page(parse_page("docs/page.md", fresh), tree), fresh);
  EXPECT_EQ(lines_found(quotes_are_true, fresh), Lines{});
  const std::string unknown = fence("cpp from=nn/a.cpp#thrice", "kept\n");
  EXPECT_EQ(updated_page(parse_page("docs/page.md", unknown), tree), unknown);
}

}  // namespace
}  // namespace vitro::docs
