// JSON: what is read, what is refused and at which byte.
#include "tensor/files/json.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "tensor/files/file_error.h"
#include "tensor/utf8.h"

#include "tests/support/files.h"

namespace vitro {
namespace {

using testing_support::file_error_of;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

// The byte that the error names, or -1 where the text is taken.
Index fault_at(const std::string& text) {
  try {
    JsonValue::parse(text);
  } catch (const JsonError& error) {
    return error.byte();
  }
  return -1;
}

TEST(Json, ReadsEveryKind) {
  const JsonValue value = JsonValue::parse(
      " {\"null\": null, \"yes\": true, \"no\": false,\n\t\"whole\": -12, \"real\": 2.5e-1,"
      "\"text\": \"a\\u00e9\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"list\": [1, [], {}]}\r\n");
  EXPECT_EQ(value.kind(), JsonKind::kObject);
  EXPECT_EQ(value.keys(),
            (std::vector<std::string>{"null", "yes", "no", "whole", "real", "text", "list"}));
  EXPECT_TRUE(value["null"].is_null());
  EXPECT_TRUE(value["yes"].boolean());
  EXPECT_FALSE(value["no"].boolean());
  EXPECT_EQ(value["whole"].integer(), -12);
  EXPECT_EQ(value["whole"].number(), -12.0);
  EXPECT_EQ(value["real"].number(), 0.25);
  EXPECT_EQ(value["text"].string(), "a\xC3\xA9\xF0\x9F\x98\x80\"\\/\b\f\n\r\t");
  ASSERT_EQ(value["list"].items().size(), 3U);
  EXPECT_EQ(value["list"].items()[0].integer(), 1);
  EXPECT_TRUE(value["list"].items()[1].items().empty());
  EXPECT_TRUE(value["list"].items()[2].keys().empty());
  EXPECT_TRUE(value.contains("real"));
  EXPECT_EQ(value.find("absent"), nullptr);
}

TEST(Json, WholeNumbersAreExact) {
  EXPECT_EQ(JsonValue::parse("9007199254740993").integer(), 9007199254740993);  // 2^53 + 1
  EXPECT_EQ(JsonValue::parse("9223372036854775807").integer(), std::numeric_limits<Index>::max());
  EXPECT_EQ(JsonValue::parse("-9223372036854775808").integer(), std::numeric_limits<Index>::min());
  for (const char* text : {"9223372036854775808", "1.0", "1e3", "-0.0"}) {
    EXPECT_THROW(JsonValue::parse(text).integer(), JsonError) << text;
  }
  EXPECT_THROW(JsonValue::parse("1e999").number(), JsonError);
  EXPECT_EQ(JsonValue::parse("0.1").number(), 0.1);
  EXPECT_EQ(JsonValue::parse("1E+2").number(), 100.0);
}

TEST(Json, OtherKindsThanAskedForAreErrors) {
  const JsonValue value = JsonValue::parse("{\"a\": \"text\"}");
  try {
    value["a"].integer();
    FAIL();
  } catch (const JsonError& error) {
    EXPECT_STREQ(error.what(), "JSON: byte 6: found a string; expected a number");
    EXPECT_EQ(error.fault(), JsonFault::kValue);
  }
  EXPECT_THROW(value.items()[0].items(), JsonError);
  EXPECT_THROW(value["a"].boolean(), JsonError);
  EXPECT_THROW(value["a"].keys(), JsonError);
  EXPECT_THROW(value.string(), JsonError);
  try {
    value["b"];
    FAIL();
  } catch (const JsonError& error) {
    EXPECT_STREQ(error.what(), "JSON: byte 0: no key \"b\"; the object has \"a\"");
  }
}

struct BadJson {
  std::string text;
  Index byte;
};

TEST(Json, RefusesAtTheByte) {
  const std::vector<BadJson> cases = {{"", 0},
                                      {"  ", 2},
                                      {"[", 1},
                                      {"]", 0},
                                      {"[1", 2},
                                      {"[1,", 3},
                                      {"[1,]", 3},
                                      {"[,1]", 1},
                                      {"[1 2]", 3},
                                      {"[1}", 2},
                                      {"{\"a\":1]", 6},
                                      {"{\"a\"}", 4},
                                      {"{\"a\":}", 5},
                                      {"{a:1}", 1},
                                      {"{1:1}", 1},
                                      {"{\"a\":1,}", 7},
                                      {"{,}", 1},
                                      {"1 1", 2},
                                      {"nul", 0},
                                      {"nulL", 0},
                                      {"True", 0},
                                      {"truee", 4},
                                      {"NaN", 0},
                                      {"Infinity", 0},
                                      {"-", 1},
                                      {"+1", 0},
                                      {"01", 0},
                                      {"-01", 1},
                                      {"1.", 2},
                                      {".5", 0},
                                      {"1e", 2},
                                      {"1e+", 3},
                                      {"1.e1", 2},
                                      {"0x1", 1},
                                      {"\"", 1},
                                      {"\"\\", 2},
                                      {"\"\\a\"", 2},
                                      {"\"\\u12\"", 5},
                                      {"\"\\u12g4\"", 5},
                                      {"\"\t\"", 1},
                                      {"\"\x7F", 2},
                                      {"'a'", 0},
                                      {"// a\n1", 0},
                                      {"[1] x", 4},
                                      {"\"\\ud800\"", 1},
                                      {"\"\\udc00\"", 1},
                                      {"\"\\ud800\\u0041\"", 1},
                                      {"\"\\ud800x\"", 1},
                                      {"\"\xFF\"", 1},
                                      {"\"\xC0\x80\"", 1},
                                      {"\"\xED\xA0\x80\"", 1},
                                      {"\xEF\xBB\xBF{}", 0}};
  for (const BadJson& bad : cases) EXPECT_EQ(fault_at(bad.text), bad.byte) << bad.text;
  EXPECT_EQ(fault_at(std::string("1\0", 2)), 1);
  EXPECT_EQ(fault_at(std::string("\"\0\"", 3)), 1);
}

TEST(Json, MessagesShowWholeCharacters) {
  const std::string error = [] {
    try {
      JsonValue::parse("\xC3\xA9");
    } catch (const JsonError& refused) {
      return refused.problem();
    }
    return std::string();
  }();
  EXPECT_EQ(error, "found \"\xC3\xA9\"; expected a value");
  EXPECT_EQ(vitro::quoted("a\xC2\x85\xE2\x80\xA8\xFF"), "\"a\\u{85}\\u{2028}\\xff\"");
  const std::string long_text(79, 'a');
  EXPECT_EQ(vitro::quoted(long_text + "\xC3\xA9"), "\"" + long_text + "…\"");
}

TEST(Json, KeysMayComeOnceAfterUnescaping) {
  EXPECT_EQ(fault_at("{\"a\": 1, \"\\u0061\": 2}"), 19);
  EXPECT_EQ(fault_at("[{\"a\": {\"b\": 1, \"b\": 2}}]"), 21);
  EXPECT_EQ(fault_at("{\"a\": {\"a\": {\"a\": 1}}, \"A\": 1}"), -1);
}

TEST(Json, NestingHasALimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(fault_at(nested(64)), -1);
  EXPECT_EQ(fault_at(nested(65)), 64);
  EXPECT_EQ(fault_at(nested(1'000'000)), 64);
}

TEST(JsonReader, SkipsValuesOfAnyKind) {
  JsonReader reader("{\"a\": [1, {\"b\": [\"]}\", null]}, -2.5e3, true], \"c\": 7}", 8);
  reader.begin_object();
  EXPECT_EQ(reader.next_key(), "a");
  reader.skip();
  EXPECT_EQ(reader.next_key(), "c");
  EXPECT_EQ(reader.read_number(), "7");
  EXPECT_EQ(reader.next_key(), std::nullopt);
  reader.finish();
}

TEST(JsonString, IsReadBackAsItWas) {
  std::string all;
  for (int byte = 0; byte < 128; ++byte) all += static_cast<char>(byte);
  all += "é😀";
  EXPECT_EQ(JsonValue::parse(json_string(all)).string(), all);
  EXPECT_EQ(json_string("\"\\\n\x1F/é"), "\"\\\"\\\\\\n\\u001f/é\"");
}

TEST(Utf8, EveryCodePointAndNothingElse) {
  for (char32_t code_point = 0; code_point < 0x110000; ++code_point) {
    const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
    ASSERT_EQ(find_invalid_utf8(utf8_bytes(code_point)), is_surrogate ? 0 : -1)
        << static_cast<unsigned>(code_point);
  }
  for (const char* text : {"\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                           "\xF5\x80\x80\x80", "\xFE", "\x80", "\xC3", "\xE2\x82", "\xC3("}) {
    EXPECT_EQ(find_invalid_utf8("ab" + std::string(text)), 2) << text;
  }
}

TEST(ReadJson, NamesFileKindAndByte) {
  const TemporaryFolder folder;
  const std::string path = folder.file("config.json");
  const auto read = [&path](const std::string& text) {
    write_bytes(path, text);
    return file_error_of([&path] { read_json(path); });
  };
  EXPECT_EQ(read("{\"n_layer\": 12}"), "no error");
  EXPECT_EQ(read_json(path)["n_layer"].integer(), 12);
  EXPECT_EQ(read("{\"n_layer\": }"),
            "InvalidJson at 12: read_json: " + path + " (byte 12): found \"}\"; expected a value");
  EXPECT_TRUE(read("{\"a\":1,\"a\":1}").starts_with("DuplicateKey at 11: "));
  EXPECT_TRUE(read("\"\xFF\"").starts_with("InvalidUtf8 at 1: "));
}

}  // namespace
}  // namespace vitro
