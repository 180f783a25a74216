// Any bytes as JSON: a JsonError at one of the bytes, or a value that survives being written and
// read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/error.h"
#include "tensor/files/json.h"

#include "tests/fuzz/round_trip.h"

namespace vitro::fuzz {
namespace {

std::string number_as_text(const JsonValue& value) {
  try {
    return join_text({value.integer()});
  } catch (const JsonError&) {
  }
  try {
    const double number = value.number();
    return number == 0 ? "0" : join_text({number});  // -0.0 would come back as a whole number
  } catch (const JsonError&) {
    return "0";  // beyond the range of double
  }
}

// Recurses once a level of nesting, of which there are at most JsonValue::kMaxDepth.
std::string as_text(const JsonValue& value) {
  std::string text;
  switch (value.kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBoolean:
      return value.boolean() ? "true" : "false";
    case JsonKind::kNumber:
      return number_as_text(value);
    case JsonKind::kString:
      return json_string(value.string());
    case JsonKind::kArray:
      for (const JsonValue& item : value.items()) text += (text.empty() ? "" : ",") + as_text(item);
      return "[" + text + "]";
    case JsonKind::kObject:
      break;
  }
  for (const std::string& key : value.keys()) {
    text += (text.empty() ? "" : ",") + json_string(key) + ":" + as_text(value[key]);
  }
  return "{" + text + "}";
}

void run(std::string_view text) {
  std::string once;
  try {
    once = as_text(JsonValue::parse(text));
  } catch (const JsonError& error) {
    require(error.byte() >= 0 && error.byte() <= static_cast<Index>(text.size()), "a byte");
    return;
  }
  require(as_text(JsonValue::parse(once)) == once, "what is written is read back");
}

}  // namespace
}  // namespace vitro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  vitro::fuzz::run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
