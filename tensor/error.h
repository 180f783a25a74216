// Errors: one sentence, `function: what is wrong, with the values; what would be right`.
//
// Numbers are written without the locale, so a decimal comma can never appear. Where the caller's
// file and line, and the module at work, are known, they follow in parentheses.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tensor/scalar.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
class Shape;
}  // namespace VITRO_SCALAR_NAMESPACE

/// One piece of a sentence: a text, a number or a shape, already turned into text.
class TextPiece {
 public:
  TextPiece(const char* text) : text_(text) {}

  TextPiece(std::string_view text) : text_(text) {}

  TextPiece(const std::string& text) : text_(text) {}

  TextPiece(char letter) : text_(1, letter) {}

  TextPiece(int number) : TextPiece(static_cast<long long>(number)) {}

  TextPiece(long number) : TextPiece(static_cast<long long>(number)) {}

  TextPiece(long long number);
  TextPiece(std::size_t number);
  TextPiece(double number);
  TextPiece(float number);
  TextPiece(const Shape& shape);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The pieces, one after the other.
std::string join_text(std::initializer_list<TextPiece> pieces);

/// The same, followed by "(called at FILE:LINE, in MODULE)" where these are known.
std::string error_text(std::initializer_list<TextPiece> pieces);

/// A byte as two hexadecimal digits: "0a".
std::string hex_text(unsigned char byte);

/// Sizes, ranks or axes that do not fit together.
class ShapeError : public std::invalid_argument {
 public:
  explicit ShapeError(std::initializer_list<TextPiece> pieces)
      : std::invalid_argument(error_text(pieces)) {}
};

/// A value that is not allowed: a probability above 1, a negative count.
[[noreturn]] void throw_invalid(std::initializer_list<TextPiece> pieces);

/// An index or an id outside its range.
[[noreturn]] void throw_out_of_range(std::initializer_list<TextPiece> pieces);

/// Throws std::invalid_argument unless 1 <= size <= 2^48 (so that few sizes multiply to an Index):
/// "FUNCTION: NAME is SIZE; it must be 1 or more".
void check_size(Index size, const char* function, const char* name);

}  // namespace vitro
