// Any bytes as a safetensors file: a FileError, or tensors that survive being written and read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tensor/files/safetensors.h"

#include "tests/fuzz/round_trip.h"

namespace vitro::fuzz {
namespace {

std::vector<NamedValues> read_all(const SafetensorsFile& file) {
  std::vector<NamedValues> values;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (is_float(entry.dtype)) {
      values.push_back({entry.name, file.tensor(entry.name)});
    } else {
      values.push_back({entry.name, file.indices(entry.name)});
    }
  }
  return values;
}

void check_round_trip(const SafetensorsFile& file) {
  static const std::string path = file_path("copy");
  const std::vector<NamedValues> values = read_all(file);
  write_safetensors(path, values, file.metadata());
  const SafetensorsFile copy = SafetensorsFile::open(path);
  std::remove(path.c_str());
  require(copy.metadata() == file.metadata(), "the metadata is the same");
  require(copy.entries().size() == values.size(), "the number of tensors is the same");
  for (const NamedValues& value : values) {
    if (const auto* x = std::get_if<Tensor>(&value.values)) {
      require(is_identical(copy.tensor(value.name), *x), "a tensor is the same");
    } else {
      require(copy.indices(value.name) == std::get<Indices>(value.values), "ids are the same");
    }
  }
}

void run(const std::uint8_t* bytes, std::size_t size) {
  try {
    check_round_trip(SafetensorsFile::open(file_with(bytes, size)));
  } catch (const FileError& error) {
    require(error.kind() > FileErrorKind::CannotWrite, "the file system is not at fault");
    require(error.byte() >= 0 && error.byte() <= static_cast<Index>(size), "a byte of the file");
  }
}

}  // namespace
}  // namespace vitro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  vitro::fuzz::run(bytes, size);
  return 0;
}
