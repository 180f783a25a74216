#include "tensor/files/npy_dict.h"

#include <charconv>
#include <initializer_list>
#include <optional>
#include <system_error>

#include "tensor/utf8.h"

namespace vitro {
namespace {

constexpr const char* kKeys = "the keys are descr, fortran_order and shape, each once";

class DictReader {
 public:
  DictReader(std::string_view text, const InputFile& file, Index start)
      : text_(text), file_(file), start_(start) {}

  NpyDict read();

 private:
  [[noreturn]] void fail(FileErrorKind kind, std::initializer_list<TextPiece> pieces) const {
    file_.fail(kind, byte(), pieces);
  }

  Index byte() const { return start_ + static_cast<Index>(position_); }

  char current() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  void skip_spaces();
  void expect(char letter);
  bool accept(char letter);
  bool accept(std::string_view word);
  std::string_view read_quoted();
  void read_value(std::string_view key);
  void read_descr();
  void read_fortran_order();
  void read_shape();
  Index read_size();

  std::string_view text_;
  const InputFile& file_;
  Index start_;
  std::size_t position_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<Index>> shape_;
  Index descr_byte_ = 0;
  Index shape_byte_ = 0;
};

void DictReader::skip_spaces() {
  const std::size_t next = text_.find_first_not_of(" \t\n\r\f", position_);
  position_ = next == std::string_view::npos ? text_.size() : next;
}

bool DictReader::accept(std::string_view word) {
  skip_spaces();
  if (text_.substr(position_, word.size()) != word) return false;
  position_ += word.size();
  return true;
}

bool DictReader::accept(char letter) { return accept(std::string_view(&letter, 1)); }

void DictReader::expect(char letter) {
  if (accept(letter)) return;
  fail(FileErrorKind::BadHeader,
       {"found ", quoted(first_character(text_.substr(position_))), "; expected '", letter,
        "' of a dict such as {'descr': '<f4', 'fortran_order': ", "False, 'shape': (2, 3), }"});
}

std::string_view DictReader::read_quoted() {
  skip_spaces();
  const char quote = current();
  const std::size_t end = text_.find_first_of("'\"\\\n", position_ + 1);
  const bool is_string =
      (quote == '\'' || quote == '"') && end != std::string_view::npos && text_[end] == quote;
  if (!is_string) fail(FileErrorKind::BadHeader, {"expected a string in quotes"});
  const std::string_view inside = text_.substr(position_ + 1, end - position_ - 1);
  position_ = end + 1;
  return inside;
}

NpyDict DictReader::read() {
  expect('{');
  while (!accept('}')) {
    skip_spaces();
    const std::size_t key_position = position_;
    const std::string_view key = read_quoted();
    const bool is_twice = (key == "descr" && descr_) || (key == "shape" && shape_) ||
                          (key == "fortran_order" && fortran_order_);
    const std::size_t after_key = position_;
    position_ = key_position;  // where both errors lie
    if (is_twice) fail(FileErrorKind::DuplicateKey, {quoted(key), " comes twice; ", kKeys});
    if (key != "descr" && key != "fortran_order" && key != "shape") {
      fail(FileErrorKind::BadKeys, {"unknown key ", quoted(key), "; ", kKeys});
    }
    position_ = after_key;
    expect(':');
    read_value(key);
    if (accept(',')) continue;
    expect('}');
    break;
  }
  if (!descr_ || !fortran_order_ || !shape_) {
    fail(FileErrorKind::BadKeys, {"a key is missing; ", kKeys});
  }
  const std::size_t stray = text_.substr(0, text_.size() - 1).find_first_not_of(' ', position_);
  if (stray != std::string_view::npos) {
    position_ = stray;
    fail(FileErrorKind::BadHeader, {"found ", quoted(first_character(text_.substr(stray))),
                                    " after the dict; only spaces and a newline may follow"});
  }
  return {*descr_, *fortran_order_, *shape_, descr_byte_, shape_byte_};
}

void DictReader::read_value(std::string_view key) {
  skip_spaces();
  if (key == "descr") {
    read_descr();
  } else if (key == "shape") {
    read_shape();
  } else {
    read_fortran_order();
  }
}

void DictReader::read_descr() {
  descr_byte_ = byte();
  if (current() == '[') {
    fail(FileErrorKind::UnsupportedDtype,
         {"a structured number type; Vitro reads <f2, <f4, <f8, <i4, <i8, |u1 and |b1"});
  }
  descr_ = read_quoted();
}

void DictReader::read_fortran_order() {
  const bool is_true = accept("True");
  if (!is_true && !accept("False")) {
    fail(FileErrorKind::BadHeader, {"fortran_order must be True or False"});
  }
  fortran_order_ = is_true;
}

// A tuple: (), (6,), (2, 3) or (2, 3,). Without a comma, (6) is a bare integer.
void DictReader::read_shape() {
  shape_byte_ = byte();
  if (!accept('(')) {
    fail(FileErrorKind::BadShape, {"the shape must be a tuple such as (2, 3), (6,) or ()"});
  }
  std::vector<Index> sizes;
  bool has_comma = true;
  while (!accept(')')) {
    if (!has_comma) fail(FileErrorKind::BadShape, {"expected ',' or ')' in the shape"});
    sizes.push_back(read_size());
    has_comma = accept(',');
  }
  if (sizes.size() == 1 && !has_comma) {
    fail(FileErrorKind::BadShape, {"the shape is a bare integer; one axis is written (6,)"});
  }
  shape_ = sizes;
}

Index DictReader::read_size() {
  skip_spaces();
  const std::size_t length = text_.find_first_of(",) \t\n\r\f", position_) - position_;
  const std::string_view digits = text_.substr(position_, length);
  const bool is_whole = !digits.empty() &&
                        digits.find_first_not_of("0123456789") == std::string_view::npos &&
                        (digits.size() == 1 || digits.front() != '0');
  if (!is_whole) {
    fail(FileErrorKind::BadShape,
         {"found ", quoted(digits), " as a size; sizes are whole numbers such as 12"});
  }
  Index size = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (result.ec != std::errc()) {
    fail(FileErrorKind::Overflow, {"a size of ", digits, "; at most 2^56 elements are allowed"});
  }
  position_ += digits.size();
  return size;
}

}  // namespace

NpyDict parse_npy_dict(std::string_view text, const InputFile& file, Index start) {
  return DictReader(text, file, start).read();
}

}  // namespace vitro
