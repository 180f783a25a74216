#include "tensor/error.h"

#include <array>
#include <charconv>

#include "tensor/context.h"
#include "tensor/shape.h"

namespace vitro {
namespace {

// The shortest text that reads back as the same number.
template <typename Number>
std::string shortest_text(Number number) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return std::string(buffer.data(), end);
}

}  // namespace

TextPiece::TextPiece(long long number) : text_(shortest_text(number)) {}

TextPiece::TextPiece(std::size_t number) : text_(shortest_text(number)) {}

TextPiece::TextPiece(double number) : text_(shortest_text(number)) {}

TextPiece::TextPiece(float number) : text_(shortest_text(number)) {}

TextPiece::TextPiece(const Shape& shape) : text_(shape.to_string()) {}

std::string join_text(std::initializer_list<TextPiece> pieces) {
  std::string text;
  for (const TextPiece& piece : pieces) text += piece.text();
  return text;
}

std::string error_text(std::initializer_list<TextPiece> pieces) {
  std::string text = join_text(pieces);
  Context& here = context();
  const bool in_module = here.module_path != nullptr && !here.module_path->empty();
  if (here.file != nullptr) text += join_text({" (called at ", here.file, ":", here.line});
  if (in_module) text += join_text({here.file != nullptr ? ", in " : " (in ", *here.module_path});
  if (here.file != nullptr || in_module) text += ")";
  here.file = nullptr;  // with this error the operation under way ends
  return text;
}

std::string hex_text(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {kDigits[byte / 16], kDigits[byte % 16]};
}

void throw_invalid(std::initializer_list<TextPiece> pieces) {
  throw std::invalid_argument(error_text(pieces));
}

void throw_out_of_range(std::initializer_list<TextPiece> pieces) {
  throw std::out_of_range(error_text(pieces));
}

void check_size(Index size, const char* function, const char* name) {
  constexpr Index kLargestSize = Index{1} << 48;  // a few times this still fits into an Index
  if (size >= 1 && size <= kLargestSize) return;
  throw_invalid({function, ": ", name, " is ", size, "; it must be 1 or more",
                 size < 1 ? "" : ", and at most 2^48"});
}

}  // namespace vitro
