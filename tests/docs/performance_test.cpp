// The pages of docs/performance/ show what was measured, and nothing else: never how fast it is
// now.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tensor/files/json.h"

namespace vitro {
namespace {

const std::filesystem::path kFolder = VITRO_SOURCE_DIR "/docs/performance";

std::string text_of(const std::string& name) {
  std::ifstream file(kFolder / name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> rows_of(const std::string& text, const std::string& first_word) {
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| " + first_word + " ")) rows.push_back(line);
  }
  return rows;
}

// Three digits, and whole numbers from 100 on, as the page has them.
std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), number >= 100 ? "%.0f" : "%.3g", number);
  return text;
}

const std::map<std::string, std::string>& axis_names() {
  static const std::map<std::string, std::string> names{{"n_embd", "width"},
                                                        {"block_size", "context"},
                                                        {"batch_size", "batch"},
                                                        {"n_layer", "layers"}};
  return names;
}

class Performance : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(std::filesystem::exists(kFolder / "record.json"))
        << "the record is gone that the pages quote; on an idle machine run "
           "tests/benchmark/compare measure, then scale";
  }
};

TEST_F(Performance, ThePageShowsTheRecord) {
  const JsonValue record = read_json((kFolder / "record.json").string());
  const std::string page = text_of("README.md");
  for (const char* part : {"processor", "cores", "compiler", "flags"}) {
    EXPECT_NE(page.find(std::string("- ") + part + ": "), std::string::npos) << part;
  }
  ASSERT_GT(record["scale"].items().size(), 20u);
  for (const JsonValue& point : record["scale"].items()) {
    const std::string row =
        "| " + axis_names().at(point["axis"].string()) + " | " +
        std::to_string(point["value"].integer()) + " | " +
        std::to_string(point["threads"].integer()) + " | " + shown(point["ms_median"].number()) +
        " | " + shown(point["gflops"].number()) + " | " + shown(point["peak_mb"].number()) + " |";
    EXPECT_NE(page.find(row), std::string::npos) << "not on the page: " << row;
  }
}

// Each ratio is that of the record's own medians, round by round.
TEST_F(Performance, EveryComparisonIsOnThePage) {
  const JsonValue record = read_json((kFolder / "record.json").string());
  const std::string page = text_of("README.md");
  ASSERT_GE(record["ratios"].items().size(), 8u);
  for (const JsonValue& row : record["ratios"].items()) {
    const std::string begin = "| " + row["task"].string() + " " + row["config"].string() + " | " +
                              std::to_string(row["threads"].integer()) + " | ";
    EXPECT_NE(page.find(begin), std::string::npos) << "not on the page: " << begin;
    EXPECT_GE(row["values"]["Vitro"].items().size(), 3u) << "fewer than three rounds: " << begin;
  }
}

// Rows that the page on scale quotes are rows of the record's page.
TEST_F(Performance, TheScalePageQuotesTheRecord) {
  const std::string measured = text_of("README.md");
  const std::string scale = text_of("scale.md");
  std::size_t count = 0;
  for (const auto& [axis, name] : axis_names()) {
    for (const std::string& row : rows_of(scale, name)) {
      EXPECT_NE(measured.find(row), std::string::npos) << "not measured: " << row;
      ++count;
    }
  }
  EXPECT_GE(count, 8u);
}

}  // namespace
}  // namespace vitro
