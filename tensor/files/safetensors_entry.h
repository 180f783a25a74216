// One tensor's entry in the header of a safetensors file.
#pragma once

#include <optional>
#include <string>

#include "tensor/files/header_faults.h"
#include "tensor/files/json_reader.h"
#include "tensor/files/numbers.h"
#include "tensor/scalar.h"
#include "tensor/shape.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// Which tensor it is, and where its numbers are.
struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::F32;
  Shape shape;
  Index begin = 0;  // bytes, counted from the end of the header
  Index end = 0;
};

/// Reads {"dtype":…, "shape":[…], "data_offsets":[…]} from where `reader` stands. A fault is noted
/// in `faults`, and then there is no entry; JsonError is thrown for wrong syntax.
std::optional<SafetensorsEntry> read_safetensors_entry(JsonReader& reader, const std::string& name,
                                                       HeaderFaults& faults);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
