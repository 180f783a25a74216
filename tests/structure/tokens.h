// C++ source text cut into tokens, just enough for the rules of this project: comments vanish, text
// in quotes is one token, and a preprocessor line is one token.
#pragma once

#include <string>
#include <vector>

namespace vitro::structure {

enum class TokenKind { kIdentifier, kNumber, kText, kSymbol, kDirective };

struct Token {
  TokenKind kind;
  std::string text;  // a directive without its '#', e.g. `include "tensor/shape.h"`
  int line;          // where it starts, from 1
};

/// Reads the whole text. Never throws: text that is no C++ gives odd tokens.
std::vector<Token> tokenize(const std::string& source);

}  // namespace vitro::structure
