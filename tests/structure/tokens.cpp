#include "tests/structure/tokens.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace vitro::structure {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Tokenizer {
 public:
  explicit Tokenizer(const std::string& source) : source_(source) {}

  std::vector<Token> run() {
    while (position_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  // The character `ahead` places from here; NUL past the end.
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }

  void advance() {
    if (peek() == '\n') {
      line_ += 1;
      line_is_empty_ = true;
    }
    position_ += 1;
  }

  void advance(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) advance();
  }

  void step() {
    const char c = peek();
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return advance();
    if (skip_comment()) return;
    if (c == '#' && line_is_empty_) return read_directive();
    line_is_empty_ = false;
    if (c == '"') return read_quoted('"');
    if (c == '\'') return read_quoted('\'');
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (is_word(c)) return read_word();
    read_symbol();
  }

  bool skip_comment() {
    if (peek() != '/') return false;
    if (peek(1) == '/') {
      while (position_ < source_.size() && peek() != '\n') advance();
      return true;
    }
    if (peek(1) == '*') {
      const bool was_empty = line_is_empty_;
      const std::size_t end = source_.find("*/", position_ + 2);
      advance((end == std::string::npos ? source_.size() : end + 2) - position_);
      line_is_empty_ = line_is_empty_ || was_empty;
      return true;
    }
    return false;
  }

  // Up to the end of the logical line: a backslash joins the next one.
  void read_directive() {
    const int line = line_;
    advance();  // '#'
    while (peek() == ' ' || peek() == '\t') advance();
    std::string text;
    while (position_ < source_.size() && peek() != '\n') {
      if (skip_comment()) continue;
      if (peek() == '\\' && peek(1) == '\n') {
        advance(2);
        continue;
      }
      text += peek();
      advance();
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
      text.pop_back();
    }
    tokens_.push_back({TokenKind::kDirective, text, line});
  }

  void read_quoted(char quote) {
    const int line = line_;
    std::string text(1, quote);
    advance();
    while (position_ < source_.size() && peek() != quote && peek() != '\n') {
      const std::size_t length = peek() == '\\' ? 2 : 1;
      text += source_.substr(position_, length);
      advance(length);
    }
    advance();
    tokens_.push_back({TokenKind::kText, text + quote, line});
  }

  // R"delimiter( … )delimiter"
  void read_raw_text() {
    const int line = line_;
    const std::size_t begin = position_;
    const std::size_t open = source_.find('(', begin);
    std::size_t end = source_.size();
    if (open != std::string::npos) {
      const std::string close = ")" + source_.substr(begin + 1, open - begin - 1) + "\"";
      const std::size_t found = source_.find(close, open);
      if (found != std::string::npos) end = found + close.size();
    }
    tokens_.push_back({TokenKind::kText, source_.substr(begin, end - begin), line});
    advance(end - begin);
  }

  // With digit separators, exponents with signs and any suffix: 1'000.5e-3f is one token.
  void read_number() {
    const int line = line_;
    std::string text;
    while (true) {
      const char c = peek();
      const char last = text.empty() ? '\0' : text.back();
      const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
      const bool exponent = hexadecimal ? last == 'p' || last == 'P' : last == 'e' || last == 'E';
      const bool sign = (c == '+' || c == '-') && exponent;
      const bool separator = c == '\'' && is_word(peek(1));
      if (!is_word(c) && c != '.' && !sign && !separator) break;
      text += c;
      advance();
    }
    tokens_.push_back({TokenKind::kNumber, text, line});
  }

  void read_word() {
    const int line = line_;
    std::string text;
    while (is_word(peek())) {
      text += peek();
      advance();
    }
    if (peek() == '"' && (text == "R" || text == "u8R" || text == "LR" || text == "uR")) {
      return read_raw_text();
    }
    tokens_.push_back({TokenKind::kIdentifier, text, line});
  }

  void read_symbol() {
    const bool scope = peek() == ':' && peek(1) == ':';
    const bool arrow = peek() == '-' && peek(1) == '>';
    const std::size_t length = scope || arrow ? 2 : 1;
    tokens_.push_back({TokenKind::kSymbol, source_.substr(position_, length), line_});
    advance(length);
  }

  const std::string& source_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool line_is_empty_ = true;  // nothing but spaces and comments so far on this line
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const std::string& source) { return Tokenizer(source).run(); }

}  // namespace vitro::structure
