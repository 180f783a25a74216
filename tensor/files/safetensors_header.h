// The header of a safetensors file: which tensors it holds, and where.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/files/safetensors_entry.h"
#include "tensor/scalar.h"

namespace vitro {

/// A header may be this long, in bytes.
inline constexpr Index kMaxSafetensorsHeader = 100'000'000;

inline namespace VITRO_SCALAR_NAMESPACE {

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;  // in the order of their data
};

/// Reads and checks a header. `text` is the JSON, which starts at byte 8 of the file `path`;
/// `data_size` is the number of bytes after it. Throws FileError; of several faults, the one whose
/// kind stands first in FileErrorKind. Memory stays in proportion to the text.
SafetensorsHeader parse_safetensors_header(std::string_view text, Index data_size,
                                           const std::string& path);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
