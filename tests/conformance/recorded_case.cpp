#include "tests/conformance/recorded_case.h"

#include "tensor/print.h"

namespace vitro::conformance {
namespace {

std::string metadata_text(const SafetensorsFile& file, const char* key, const char* otherwise) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? otherwise : found->second;
}

bool holds_floats(const SafetensorsEntry& entry) {
  return entry.dtype == Dtype::F64 || entry.dtype == Dtype::F32;
}

}  // namespace

RecordedCase::RecordedCase(const std::string& path)
    : file(SafetensorsFile::open(path)),
      op(metadata_text(file, "op", "")),
      attributes(JsonValue::parse(metadata_text(file, "attrs", "{}"))) {
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
  const Indices& values = ids.at(input);
  return Tensor::filled(values.shape(), [&values](Scalar* out) {
    for (const Index value : values.values()) *out++ = static_cast<Scalar>(value);
  });
}

Index RecordedCase::integer(const char* name, Index otherwise) const {
  return attributes.contains(name) ? attributes[name].integer() : otherwise;
}

Scalar RecordedCase::number(const char* name, double otherwise) const {
  return static_cast<Scalar>(attributes.contains(name) ? attributes[name].number() : otherwise);
}

bool RecordedCase::flag(const char* name) const {
  return attributes.contains(name) && attributes[name].boolean();
}

std::vector<Index> RecordedCase::integers(const char* name) const {
  if (!attributes.contains(name) || attributes[name].is_null()) return {};
  const JsonValue& value = attributes[name];
  if (value.kind() == JsonKind::number) return {value.integer()};
  std::vector<Index> list;
  for (const JsonValue& item : value.items()) list.push_back(item.integer());
  return list;
}

}  // namespace vitro::conformance
