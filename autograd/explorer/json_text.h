// JSON as a page may hold it: nothing in it can end the block that it stands in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::explorer {

/// `text` in quotes. '<', '>', '&', U+2028 and U+2029, quotes and control characters are escaped;
/// bytes that are no UTF-8 are spelled out as \xff.
std::string json_text(std::string_view text);

/// The shortest number that reads back the same; "nan", "inf" and "-inf" as texts.
std::string json_number(double number);

/// Members or elements, already JSON, put together.
class JsonList {
 public:
  JsonList& element(const std::string& json);
  JsonList& member(std::string_view name, const std::string& json);

  std::string array() const { return "[" + text_ + "]"; }

  std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string json_array(const std::vector<Index>& numbers);

}  // namespace vitro::explorer
