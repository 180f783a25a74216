#include "examples/common/lesson.h"

#include <iostream>

#include "tensor/print.h"

#include "examples/common/command_line.h"
#include "examples/common/run_main.h"

namespace vitro::examples {

int run_lesson(int argc, char** argv, const std::string& name, const std::string& purpose,
               const std::function<void()>& lesson) {
  return run_main(name.c_str(), [&] {
    CommandLine command_line(name, purpose);
    if (command_line.parse(argc, argv)) lesson();
    return 0;
  });
}

void heading(const std::string& title) { std::cout << "== " << title << "\n\n"; }

void show(const std::string& name, const Tensor& x, Index decimals) {
  std::cout << name << " = " << to_string(x, {.decimals = decimals}) << "\n\n";
}

std::string strides_text(const Tensor& x) {
  std::string text = "[";
  for (Index axis = 0; axis < x.rank(); ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(x.strides()[static_cast<std::size_t>(axis)]);
  }
  return text + "]";
}

std::string left(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string right(double value, Index decimals, std::size_t width) {
  return right(number_text(value, decimals), width);
}

}  // namespace vitro::examples
