// The checks, run on every page of the tree; and the programs, run again for their transcripts.
#include <cctype>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "tests/docs/checks.h"
#include "tests/docs/pictures.h"
#include "tests/docs/transcripts.h"
#include "tests/docs/update.h"

namespace vitro::docs {
namespace {

const Tree& tree() {
  static const Tree read = read_tree(VITRO_SOURCE_DIR);
  return read;
}

Page page_of(const std::string& path) {
  return parse_page(path, read_text(VITRO_SOURCE_DIR "/" + path));
}

class Book : public testing::TestWithParam<NamedCheck> {};

TEST_P(Book, IsTrue) {
  for (const std::string& path : page_paths(tree())) {
    for (const Finding& finding : GetParam().check(page_of(path), tree())) {
      ADD_FAILURE() << path << ":" << finding.line << ": " << finding.what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, Book, testing::ValuesIn(all_checks()),
                         [](const auto& check) { return std::string(check.param.name); });

TEST(BookPages, AreFound) {
  EXPECT_TRUE(tree().files.contains("docs/map.md"));
  EXPECT_TRUE(tree().files.contains("README.md"));
}

// What --update would write is what is there: a second call has nothing left to do.
TEST(BookPages, UpdateIsAFixedPoint) {
  for (const std::string& path : page_paths(tree())) {
    const std::string text = read_text(VITRO_SOURCE_DIR "/" + path);
    EXPECT_TRUE(updated_page(parse_page(path, text), tree()) == text)
        << path << ": run test_docs --update";
  }
}

TEST(Pictures, AreWhatTheProgramsDraw) {
  for (const Picture& picture : make_pictures()) {
    EXPECT_TRUE(read_text(VITRO_SOURCE_DIR "/" + picture.path) == picture.text)
        << picture.path << ": run test_docs --update";
  }
}

std::vector<std::string> transcript_paths() {
  std::vector<std::string> paths;
  for (const auto& [path, text] : tree().outputs) {
    if (is_rerun(path)) paths.push_back(path);
  }
  return paths;
}

class Transcripts : public testing::TestWithParam<std::string> {};

TEST_P(Transcripts, AreWhatTheProgramPrints) {
  const std::optional<Transcript> kept = parse_transcript(tree().outputs.at(GetParam()));
  ASSERT_TRUE(kept) << GetParam() << ": the first line must be \"$ PROGRAM ARGUMENTS\"";
  const std::optional<std::string> found =
      difference(kept->output, rerun(*kept).output, kTranscriptTolerance);
  EXPECT_FALSE(found) << GetParam() << ": " << *found << "\nrun test_docs --update";
}

INSTANTIATE_TEST_SUITE_P(Programs, Transcripts, testing::ValuesIn(transcript_paths()),
                         [](const auto& path) {
                           std::string name;
                           for (const char c : path.param) name += std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace vitro::docs
