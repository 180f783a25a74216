// JsonValue: a whole JSON text in memory, for small files such as a model's configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/files/json_reader.h"
#include "tensor/scalar.h"

namespace vitro {

/// One value and everything in it. Reading a value as another kind than it is throws JsonError,
/// which names the byte where the value stands.
class JsonValue {
 public:
  /// Nesting that no sensible file reaches: what recurses over a value goes no deeper.
  static constexpr Index kMaxDepth = 64;

  /// Strict RFC 8259, UTF-8 only; a key that comes twice is an error. Throws JsonError.
  static JsonValue parse(std::string_view text);

  JsonKind kind() const { return kind_; }

  bool is_null() const { return kind_ == JsonKind::kNull; }

  /// Where the value starts in the text.
  Index byte() const { return byte_; }

  bool boolean() const;
  /// A whole number, exactly; 1.0 and 1e3 are none, nor is what 64 bits do not hold.
  Index integer() const;
  /// The nearest double of a number; one outside a double's range, such as 1e999, is refused.
  double number() const;
  const std::string& string() const;

  /// The elements of an array, or the values of an object in the order of its keys.
  const std::vector<JsonValue>& items() const;

  /// An object's keys in the order of the text.
  const std::vector<std::string>& keys() const;

  bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// An object's value. Throws JsonError where the key is missing; find() gives null then.
  const JsonValue& operator[](std::string_view key) const;
  const JsonValue* find(std::string_view key) const;

 private:
  static JsonValue read(JsonReader& reader);
  void read_members(JsonReader& reader);
  void check_kind(JsonKind expected) const;

  JsonKind kind_ = JsonKind::kNull;
  bool boolean_ = false;
  Index byte_ = 0;
  std::string text_;  // a string's letters, or a number's digits
  std::vector<JsonValue> items_;
  std::vector<std::string> keys_;
};

/// The file's JSON. Throws FileError, of kind InvalidUtf8, InvalidJson or DuplicateKey where the
/// text is at fault; HeaderTooLarge above 100 MB.
JsonValue read_json(const std::string& path);

}  // namespace vitro
