#include "tensor/files/json_reader.h"

#include <algorithm>
#include <numeric>

#include "tensor/files/file_error.h"
#include "tensor/utf8.h"

namespace vitro {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

JsonError::JsonError(JsonFault fault, Index byte, std::initializer_list<TextPiece> pieces)
    : JsonError(fault, byte, join_text(pieces)) {}

JsonError::JsonError(JsonFault fault, Index byte, const std::string& problem)
    : std::invalid_argument(join_text({"JSON: byte ", byte, ": ", problem})),
      fault_(fault),
      byte_(byte),
      problem_(problem) {}

const char* json_kind_text(JsonKind kind) {
  switch (kind) {
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kBoolean:
      return "true or false";
    case JsonKind::kNull:
      break;
  }
  return "null";
}

JsonReader::JsonReader(std::string_view text, Index max_depth, LeadingZeros leading_zeros)
    : text_(text), max_depth_(static_cast<std::size_t>(max_depth)), leading_zeros_(leading_zeros) {}

Index JsonReader::byte() {
  skip_spaces();
  return static_cast<Index>(position_);
}

void JsonReader::skip_spaces() {
  while (!at_end() && std::string_view(" \t\n\r").find(current()) != std::string_view::npos) {
    ++position_;
  }
}

void JsonReader::fail(std::initializer_list<TextPiece> pieces) const {
  throw JsonError(JsonFault::kSyntax, static_cast<Index>(position_), pieces);
}

void JsonReader::fail_expected(const char* expected) const {
  if (at_end()) fail({"the text ends here; expected ", expected});
  fail({"found ", quoted(first_character(text_.substr(position_))), "; expected ", expected});
}

void JsonReader::expect(char letter, const char* expected) {
  if (at_end() || current() != letter) fail_expected(expected);
  ++position_;
}

JsonKind JsonReader::peek() {
  skip_spaces();
  switch (current()) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return JsonKind::kString;
    case 't':
    case 'f':
      return JsonKind::kBoolean;
    case 'n':
      return JsonKind::kNull;
    default:
      break;
  }
  if (current() != '-' && !is_digit(current())) fail_expected("a value");
  return JsonKind::kNumber;
}

void JsonReader::expect_kind(JsonKind kind) {
  const JsonKind found = peek();
  if (found != kind) fail({"found ", json_kind_text(found), "; expected ", json_kind_text(kind)});
}

// ---- Objects and arrays ----------------------------------------------------------------------

void JsonReader::begin_level(char opening, char closing) {
  if (levels_.size() == max_depth_) {
    fail({"'", opening, "' nests deeper than ", max_depth_, " levels; at most ", max_depth_,
          " are allowed"});
  }
  ++position_;
  levels_.push_back({closing, true});
}

void JsonReader::begin_object() {
  expect_kind(JsonKind::kObject);
  begin_level('{', '}');
}

void JsonReader::begin_array() {
  expect_kind(JsonKind::kArray);
  begin_level('[', ']');
}

bool JsonReader::next_element() {
  Level& level = levels_.back();
  skip_spaces();
  if (current() == level.closing) {
    ++position_;
    levels_.pop_back();
    return false;
  }
  if (!level.is_empty) {
    expect(',', level.closing == '}' ? "',' or '}'" : "',' or ']'");
  }
  level.is_empty = false;
  return true;
}

std::optional<std::string> JsonReader::next_key() {
  if (!next_element()) return std::nullopt;
  skip_spaces();
  if (current() != '"') fail_expected("a key in double quotes");
  std::string key = read_string();
  skip_spaces();
  expect(':', "':' after a key");
  return key;
}

bool JsonReader::next_in_level() {
  return levels_.back().closing == '}' ? next_key().has_value() : next_element();
}

void JsonReader::skip() {
  const std::size_t outer_depth = levels_.size();
  do {
    switch (peek()) {
      case JsonKind::kObject:
        begin_object();
        break;
      case JsonKind::kArray:
        begin_array();
        break;
      case JsonKind::kString:
        read_string();
        break;
      case JsonKind::kNumber:
        read_number();
        break;
      case JsonKind::kBoolean:
        read_boolean();
        break;
      case JsonKind::kNull:
        read_null();
        break;
    }
    // On to the next value, out of everything that ends here.
    while (levels_.size() > outer_depth && !next_in_level()) continue;
  } while (levels_.size() > outer_depth);
}

void JsonReader::finish() {
  skip_spaces();
  if (!at_end()) fail_expected("the end of the text");
}

// ---- Numbers and words -----------------------------------------------------------------------

void JsonReader::skip_digits() {
  if (!is_digit(current())) fail_expected("a digit");
  while (is_digit(current())) ++position_;
}

std::string_view JsonReader::read_number() {
  expect_kind(JsonKind::kNumber);
  const std::size_t start = position_;
  if (current() == '-') ++position_;
  const bool starts_with_zero = current() == '0';
  const std::size_t digits_start = position_;
  skip_digits();
  if (starts_with_zero && position_ - digits_start > 1 &&
      leading_zeros_ == LeadingZeros::kRefused) {
    position_ = digits_start;
    fail({"a number starts with a needless 0; leave it out"});
  }
  if (current() == '.') {
    ++position_;
    skip_digits();
  }
  if (current() == 'e' || current() == 'E') {
    ++position_;
    if (current() == '+' || current() == '-') ++position_;
    skip_digits();
  }
  return text_.substr(start, position_ - start);
}

void JsonReader::read_word(std::string_view word) {
  if (text_.substr(position_, word.size()) != word) fail_expected("true, false or null");
  position_ += word.size();
}

bool JsonReader::read_boolean() {
  expect_kind(JsonKind::kBoolean);
  const bool value = current() == 't';
  read_word(value ? "true" : "false");
  return value;
}

void JsonReader::read_null() {
  expect_kind(JsonKind::kNull);
  read_word("null");
}

// ---- Keys that come twice --------------------------------------------------------------------

std::optional<std::size_t> find_duplicate(const std::vector<std::string>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&keys](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  std::optional<std::size_t> first;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (keys[order[i]] == keys[order[i - 1]] && (!first || order[i] < *first)) first = order[i];
  }
  return first;
}

}  // namespace vitro
