// What the small programs of examples/lessons/ share: they print one thing after the other.
#pragma once

#include <functional>
#include <string>

#include "tensor/tensor.h"

namespace vitro::examples {

/// Runs `lesson` and returns the exit code; --help prints `purpose`, and there are no other
/// options.
int run_lesson(int argc, char** argv, const std::string& name, const std::string& purpose,
               const std::function<void()>& lesson);

/// "== TITLE" and an empty line.
void heading(const std::string& title);

/// "NAME = Tensor …" and an empty line.
void show(const std::string& name, const Tensor& x, Index decimals = 4);

/// "[3, 1]": the strides along the axes that x has.
std::string strides_text(const Tensor& x);

/// `text` with spaces in front or behind, so that columns stand below each other.
std::string left(const std::string& text, std::size_t width);
std::string right(const std::string& text, std::size_t width);
std::string right(double value, Index decimals, std::size_t width);

}  // namespace vitro::examples
