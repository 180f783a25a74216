// JsonReader: a JSON text (RFC 8259) read piece by piece, strictly, without building a tree.
//
//     reader.begin_object();
//     while (const std::optional<std::string> key = reader.next_key()) {
//       if (*key == "steps") steps = reader.read_number(); else reader.skip();
//     }
//     reader.finish();
#pragma once

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.h"
#include "tensor/scalar.h"

namespace vitro {

enum class JsonFault {
  kEncoding,      ///< not UTF-8
  kSyntax,        ///< no JSON, or nested too deep
  kDuplicateKey,  ///< compared after unescaping
  kValue,         ///< sound, but another value than the one asked for
};

/// What is wrong with a JSON text, and at which of its bytes.
class JsonError : public std::invalid_argument {
 public:
  JsonError(JsonFault fault, Index byte, std::initializer_list<TextPiece> pieces);

  JsonFault fault() const { return fault_; }

  Index byte() const { return byte_; }

  /// The sentence without the place.
  const std::string& problem() const { return problem_; }

 private:
  JsonError(JsonFault fault, Index byte, const std::string& problem);

  JsonFault fault_;
  Index byte_;
  std::string problem_;
};

enum class JsonKind { kObject, kArray, kString, kNumber, kBoolean, kNull };

/// "an object", "a string", …
const char* json_kind_text(JsonKind kind);

/// JSON has no 007. A format that reports it as a wrong number, not as wrong syntax, lets it pass.
enum class LeadingZeros { kRefused, kAllowed };

/// Every call throws JsonError where the text is not the JSON it should be. The text must be UTF-8
/// (see find_invalid_utf8) and live as long as the reader. Keys that come twice are the caller's
/// to find: see find_duplicate.
class JsonReader {
 public:
  JsonReader(std::string_view text, Index max_depth,
             LeadingZeros leading_zeros = LeadingZeros::kRefused);

  /// Where the last piece ended.
  Index position() const { return static_cast<Index>(position_); }

  /// The text from one byte to before another.
  std::string_view text_between(Index begin, Index end) const {
    return text_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

  /// Where the next piece starts.
  Index byte();

  /// What the next value is.
  JsonKind peek();

  /// After begin_object, each next_key is followed by reading one value. Nothing: the object ended.
  void begin_object();
  std::optional<std::string> next_key();

  /// After begin_array, each true is followed by reading one value. False: the array ended.
  void begin_array();
  bool next_element();

  std::string read_string();
  /// The digits as they stand, so that no bit is lost.
  std::string_view read_number();
  bool read_boolean();
  void read_null();

  /// Reads past a value of any kind.
  void skip();

  /// Nothing but white space may follow.
  void finish();

 private:
  struct Level {
    char closing;
    bool is_empty;
  };

  void skip_spaces();

  bool at_end() const { return position_ == text_.size(); }

  char current() const { return at_end() ? '\0' : text_[position_]; }

  [[noreturn]] void fail(std::initializer_list<TextPiece> pieces) const;
  [[noreturn]] void fail_expected(const char* expected) const;
  void expect(char letter, const char* expected);
  void expect_kind(JsonKind kind);
  void begin_level(char opening, char closing);
  bool next_in_level();
  void skip_digits();
  void read_word(std::string_view word);
  std::string read_escape();
  char32_t read_hex4();
  char32_t read_code_point();

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t max_depth_;
  LeadingZeros leading_zeros_;
  std::vector<Level> levels_;  // the objects and arrays around the position
};

/// The place in `keys` of the first key that equals an earlier one, or nothing.
std::optional<std::size_t> find_duplicate(const std::vector<std::string>& keys);

/// `text` as a JSON string, quotes included.
std::string json_string(std::string_view text);

}  // namespace vitro
