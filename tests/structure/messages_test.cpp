// Every message of the library, read from its sources and printed: each opens with the function,
// says what is wrong with which values, and what would be right. Where it happened is added by
// error_text, which all of them go through.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/rules.h"

namespace vitro::structure {
namespace {

namespace fs = std::filesystem;

struct Message {
  std::string place;    // "tensor/matmul.cpp:12"
  std::string text;     // values are shown as {…}
  int value_count = 0;  // pieces that are no fixed text
};

bool is_thrower(const Token& token) {
  static const std::set<std::string> names = {"throw_invalid", "throw_out_of_range", "ShapeError",
                                              "error_text"};
  return token.kind == TokenKind::kIdentifier && names.contains(token.text);
}

std::string inside_quotes(const std::string& token) {
  const std::size_t begin = token.find('"') + 1;
  return token.substr(begin, token.rfind('"') - begin);
}

// The pieces in the braces that open at `open`: fixed texts as they are, each value as {…}.
Message message_at(const SourceFile& file, std::size_t open) {
  Message message{file.path + ":" + std::to_string(file.tokens[open].line), ""};
  int depth = 0;
  bool in_value = false;
  for (std::size_t i = open; i < file.tokens.size(); ++i) {
    const Token& token = file.tokens[i];
    if (token.text == "{" || token.text == "(") ++depth;
    if (token.text == "}" || token.text == ")") --depth;
    if (depth == 0) break;
    if (token.kind == TokenKind::kText && depth == 1) {
      message.text += inside_quotes(token.text);
    } else if (token.text != "{" && token.text != "," && !in_value) {
      message.text += "{…}";
      ++message.value_count;
    }
    in_value = token.kind != TokenKind::kText && !(token.text == "," && depth == 1) && i != open;
  }
  return message;
}

std::vector<Message> messages_of_the_library() {
  std::vector<Message> messages;
  for (const char* floor : {"tensor", "autograd", "nn"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(VITRO_SOURCE_DIR) / floor)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const SourceFile file =
          make_source_file(entry.path().lexically_relative(VITRO_SOURCE_DIR).generic_string(),
                           std::string{std::istreambuf_iterator<char>(stream), {}});
      for (std::size_t i = 0; i + 2 < file.tokens.size(); ++i) {
        if (!is_thrower(file.tokens[i]) || file.tokens[i + 1].text != "(" ||
            file.tokens[i + 2].text != "{") {
          continue;
        }
        messages.push_back(message_at(file, i + 2));
      }
    }
  }
  std::sort(messages.begin(), messages.end(),
            [](const Message& a, const Message& b) { return a.place < b.place; });
  return messages;
}

bool says_what_is_right(const std::string& text) {
  for (const char* sign : {"; ", "must ", ", so "}) {
    if (text.find(sign) != std::string::npos) return true;
  }
  return false;
}

// Sentences that others complete: the differences of all parameters follow, or the whole text.
bool is_completed_elsewhere(const Message& message) {
  return message.text.ends_with("does not fit the model: {…}") || message.text == "{…}: {…}" ||
         message.text == "Checkpoint: {…}: {…}" ||
         message.place.starts_with("tensor/files/file_error.cpp");
}

TEST(Messages, EachSaysWhatIsWrongAndWhatWouldBeRight) {
  const std::vector<Message> messages = messages_of_the_library();
  ASSERT_GT(messages.size(), 150u);
  for (const Message& message : messages) {
    std::cout << message.place << "\n    " << message.text << "\n";
    if (is_completed_elsewhere(message)) continue;
    const std::size_t colon = message.text.find(": ");
    EXPECT_NE(colon, std::string::npos) << message.place << ": no function in: " << message.text;
    EXPECT_LT(colon, 60u) << message.place << ": " << message.text;
    EXPECT_TRUE(says_what_is_right(message.text)) << message.place << ": " << message.text;
  }
}

TEST(Messages, NearlyAllNameTheValues) {
  const std::vector<Message> messages = messages_of_the_library();
  const auto without = std::count_if(messages.begin(), messages.end(), [](const Message& message) {
    return message.value_count == 0;
  });
  // Those without have no value to name: an undefined Variable, an empty list.
  EXPECT_LT(without, 20) << "of " << messages.size();
}

}  // namespace
}  // namespace vitro::structure
