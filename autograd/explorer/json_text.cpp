#include "autograd/explorer/json_text.h"

#include <cmath>

#include "tensor/error.h"
#include "tensor/utf8.h"

namespace vitro::explorer {
namespace {

std::string escape(unsigned code) {
  return "\\u" + hex_text(static_cast<unsigned char>(code >> 8)) +
         hex_text(static_cast<unsigned char>(code & 0xffu));
}

std::string escaped(std::string_view character) {
  const char32_t code = utf8_code_point(character);
  const bool ends_a_block = code == '<' || code == '>' || code == '&';
  const bool ends_a_line = code == 0x2028 || code == 0x2029;
  if (code < 0x20 || code == 0x7f || ends_a_block || ends_a_line) {
    return escape(static_cast<unsigned>(code));
  }
  if (code == '"' || code == '\\') return "\\" + std::string(character);
  return std::string(character);
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      json += "\\\\x" + hex_text(static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    } else {
      json += escaped(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return json + "\"";
}

std::string json_number(double number) {
  if (std::isnan(number)) return "\"nan\"";
  if (std::isinf(number)) return number > 0 ? "\"inf\"" : "\"-inf\"";
  return join_text({number});
}

JsonList& JsonList::element(const std::string& json) {
  if (!text_.empty()) text_ += ',';
  text_ += json;
  return *this;
}

JsonList& JsonList::member(std::string_view name, const std::string& json) {
  return element(json_text(name) + ":" + json);
}

std::string json_array(const std::vector<Index>& numbers) {
  JsonList list;
  for (const Index number : numbers) list.element(join_text({number}));
  return list.array();
}

}  // namespace vitro::explorer
