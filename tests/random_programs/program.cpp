#include "tests/random_programs/program.h"

#include <bit>
#include <cstddef>

#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

std::string short_number(double x) {
  std::string text = std::to_string(x);
  while (text.back() == '0') text.pop_back();
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const Index i : settings.integers) text += " " + std::to_string(i);
  for (const double x : settings.numbers) text += " " + short_number(x);
  if (settings.flag) text += " flag";
  if (settings.ids.shape() != Shape{0}) text += " ids " + settings.ids.shape().to_string();
  if (settings.mask.shape != Shape{0}) text += " mask " + settings.mask.shape.to_string();
  if (settings.bias.shape != Shape{0}) text += " bias " + settings.bias.shape.to_string();
  return text.empty() ? "" : "   settings:" + text;
}

const char* kind_name(LeafKind kind) {
  const char* const names[] = {"parameter", "constant", "number"};
  return names[static_cast<int>(kind)];
}

const char* layout_name(Layout layout) {
  const char* const names[] = {"", ", transposed", ", narrowed", ", stretched"};
  return names[static_cast<int>(layout)];
}

std::string step_text(const Step& step) {
  if (step.is_leaf()) {
    std::string text = std::string(kind_name(step.leaf.kind)) + layout_name(step.leaf.layout);
    const std::size_t count = step.leaf.values.size();
    for (std::size_t i = 0; i < count && i < 8; ++i) {
      text += (i == 0 ? ":  " : " ") + short_number(step.leaf.values[i]);
    }
    return count > 8 ? text + " …" : text;
  }
  std::string text = operations()[static_cast<std::size_t>(step.operation)].declared + " of";
  for (const int input : step.inputs) text += " %" + std::to_string(input);
  return text + settings_text(step.settings) + (step.no_grad ? "   NoGrad" : "");
}

// FNV-1a over whole words.
struct Hash {
  std::uint64_t state = 0xcbf29ce484222325U;

  void add(std::uint64_t word) { state = (state ^ word) * 0x100000001b3U; }

  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }

  template <class Values>
  void add_all(const Values& values) {
    for (const double x : values) add(x);
  }
};

}  // namespace

std::string listing(const Program& program) {
  std::string text;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    text +=
        "  %" + std::to_string(i) + " " + step.shape.to_string() + " = " + step_text(step) + "\n";
  }
  return text;
}

std::uint64_t fingerprint(const Program& program) {
  Hash hash;
  for (const char letter : listing(program)) hash.add(static_cast<std::uint64_t>(letter));
  for (const Step& step : program.steps) {
    hash.add_all(step.leaf.values);
    hash.add_all(step.settings.mask.values);
    hash.add_all(step.settings.bias.values);
    for (const Index id : step.settings.ids.values()) hash.add(static_cast<std::uint64_t>(id));
  }
  return hash.state;
}

}  // namespace vitro::programs
