#include "tests/conformance/recorded_case.h"

#include <limits>

#include "tensor/print.h"

namespace vitro::conformance {
namespace {

std::string metadata_text(const SafetensorsFile& file, const char* key, const char* otherwise) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? otherwise : found->second;
}

// Python writes infinities and NaN bare, which JSON does not have: they become strings.
std::string standard_json(std::string text) {
  for (const std::string word : {"-Infinity", "Infinity", "NaN"}) {
    for (std::size_t at = text.find(": " + word); at != std::string::npos;
         at = text.find(": " + word, at)) {
      text.replace(at + 2, word.size(), '"' + word + '"');
    }
  }
  return text.empty() ? "{}" : text;
}

double number_of(const JsonValue& value) {
  if (value.kind() != JsonKind::kString) return value.number();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string& word = value.string();
  if (word == "Infinity" || word == "inf") return kInfinity;
  if (word == "-Infinity" || word == "-inf") return -kInfinity;
  if (word == "NaN" || word == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw_invalid({"an attribute is '", word, "'; it must be a number"});
}

bool holds_floats(const SafetensorsEntry& entry) {
  return entry.dtype == Dtype::F64 || entry.dtype == Dtype::F32;
}

}  // namespace

RecordedCase::RecordedCase(const std::string& path)
    : file(SafetensorsFile::open(path)),
      op(metadata_text(file, "op", "")),
      attributes(JsonValue::parse(standard_json(metadata_text(file, "attrs", "")))) {
  for (Index input = 0; file.contains(join_text({"in.", input})); ++input) {
    const std::string name = join_text({"in.", input});
    const bool floats = holds_floats(file.entry(name));
    variables.push_back(floats ? parameter(file.tensor(name), name) : Variable());
    ids.push_back(floats ? Indices() : file.indices(name));
  }
}

const Variable& RecordedCase::x(std::size_t input) const {
  if (!has_input(input) || !variables[input].is_defined()) {
    throw_invalid({"the case has no floating in.", input});
  }
  return variables[input];
}

Tensor RecordedCase::mask(std::size_t input) const {
  if (variables.at(input).is_defined()) return variables[input].value();
  const Indices& values = ids[input];
  return Tensor::filled(values.shape(), [&values](Scalar* out) {
    for (const Index value : values.values()) *out++ = static_cast<Scalar>(value);
  });
}

bool RecordedCase::has(const char* name) const {
  return attributes.contains(name) && !attributes[name].is_null();
}

double RecordedCase::number(const char* name) const { return number_of(attributes[name]); }

Index RecordedCase::integer(const char* name, Index otherwise) const {
  return has(name) ? integer(name) : otherwise;
}

Scalar RecordedCase::number(const char* name, double otherwise) const {
  return static_cast<Scalar>(has(name) ? number(name) : otherwise);
}

bool RecordedCase::flag(const char* name) const {
  if (!has(name)) return false;
  const JsonValue& value = attributes[name];
  return value.kind() == JsonKind::kNumber ? value.number() != 0 : value.boolean();
}

std::vector<Index> RecordedCase::integers(const char* name) const {
  if (!has(name)) return {};
  const JsonValue& value = attributes[name];
  if (value.kind() == JsonKind::kNumber) return {value.integer()};
  std::vector<Index> list;
  for (const JsonValue& item : value.items()) list.push_back(item.integer());
  return list;
}

}  // namespace vitro::conformance
