#include "tensor/files/json.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "tensor/files/file_error.h"
#include "tensor/files/input_file.h"
#include "tensor/utf8.h"

namespace vitro {
namespace {

// What from_chars makes of the whole of `text`.
template <typename Number>
std::from_chars_result parse_number(const std::string& text, Number& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number);
}

void check_utf8(std::string_view text) {
  const Index byte = find_invalid_utf8(text);
  if (byte >= 0) throw JsonError(JsonFault::kEncoding, byte, {"not UTF-8; JSON is UTF-8"});
}

FileErrorKind file_error_kind(JsonFault fault) {
  if (fault == JsonFault::kEncoding) return FileErrorKind::InvalidUtf8;
  if (fault == JsonFault::kDuplicateKey) return FileErrorKind::DuplicateKey;
  return FileErrorKind::InvalidJson;
}

}  // namespace

JsonValue JsonValue::parse(std::string_view text) {
  check_utf8(text);
  JsonReader reader(text, kMaxDepth);
  JsonValue value = read(reader);
  reader.finish();
  return value;
}

// Recurses once a level of nesting: the reader stops it at kMaxDepth.
JsonValue JsonValue::read(JsonReader& reader) {
  JsonValue value;
  value.kind_ = reader.peek();
  value.byte_ = reader.byte();
  switch (value.kind_) {
    case JsonKind::kObject:
      value.read_members(reader);
      break;
    case JsonKind::kArray:
      reader.begin_array();
      while (reader.next_element()) value.items_.push_back(read(reader));
      break;
    case JsonKind::kString:
      value.text_ = reader.read_string();
      break;
    case JsonKind::kNumber:
      value.text_ = reader.read_number();
      break;
    case JsonKind::kBoolean:
      value.boolean_ = reader.read_boolean();
      break;
    case JsonKind::kNull:
      reader.read_null();
      break;
  }
  return value;
}

void JsonValue::read_members(JsonReader& reader) {
  reader.begin_object();
  while (const std::optional<std::string> key = reader.next_key()) {
    keys_.push_back(*key);
    items_.push_back(read(reader));
  }
  if (const std::optional<std::size_t> twice = find_duplicate(keys_)) {
    throw JsonError(JsonFault::kDuplicateKey, items_[*twice].byte(),
                    {"the key ", quoted(keys_[*twice]), " comes twice; once is enough"});
  }
}

void JsonValue::check_kind(JsonKind expected) const {
  if (kind_ == expected) return;
  throw JsonError(JsonFault::kValue, byte_,
                  {"found ", json_kind_text(kind_), "; expected ", json_kind_text(expected)});
}

bool JsonValue::boolean() const {
  check_kind(JsonKind::kBoolean);
  return boolean_;
}

Index JsonValue::integer() const {
  check_kind(JsonKind::kNumber);
  Index value = 0;
  const std::from_chars_result result = parse_number(text_, value);
  if (result.ec != std::errc() || result.ptr != text_.data() + text_.size()) {
    throw JsonError(JsonFault::kValue, byte_,
                    {"found ", text_, "; expected a whole number of at most 64 bits"});
  }
  return value;
}

double JsonValue::number() const {
  check_kind(JsonKind::kNumber);
  double value = 0;
  if (parse_number(text_, value).ec != std::errc()) {
    throw JsonError(JsonFault::kValue, byte_,
                    {"found ", text_, "; expected a number in the range of double"});
  }
  return value;
}

const std::string& JsonValue::string() const {
  check_kind(JsonKind::kString);
  return text_;
}

const std::vector<JsonValue>& JsonValue::items() const {
  if (kind_ != JsonKind::kObject) check_kind(JsonKind::kArray);
  return items_;
}

const std::vector<std::string>& JsonValue::keys() const {
  check_kind(JsonKind::kObject);
  return keys_;
}

const JsonValue* JsonValue::find(std::string_view key) const {
  check_kind(JsonKind::kObject);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == key) return &items_[i];
  }
  return nullptr;
}

const JsonValue& JsonValue::operator[](std::string_view key) const {
  const JsonValue* value = find(key);
  if (value != nullptr) return *value;
  std::string known;
  for (const std::string& other : keys_) known += (known.empty() ? "" : ", ") + quoted(other);
  throw JsonError(
      JsonFault::kValue, byte_,
      {"no key ", quoted(key), "; the object has ", known.empty() ? std::string("none") : known});
}

JsonValue read_json(const std::string& path) {
  constexpr const char* kFunction = "read_json";
  const std::string text = read_small_file(kFunction, path);
  try {
    return JsonValue::parse(text);
  } catch (const JsonError& error) {
    throw FileError(file_error_kind(error.fault()), kFunction, path, error.byte(),
                    {error.problem()});
  }
}

}  // namespace vitro
