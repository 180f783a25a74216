// Any bytes as a .npy file: a FileError, or numbers that survive being written and read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tensor/files/file_error.h"
#include "tensor/files/npy.h"

#include "tests/fuzz/round_trip.h"

namespace vitro::fuzz {
namespace {

const std::string& copy_path() {
  static const std::string path = file_path("copy");
  return path;
}

void check_floats(const std::string& path) {
  const Tensor x = read_npy(path);
  write_npy(copy_path(), x);
  require(is_identical(read_npy(copy_path()), x), "the tensor is the same");
}

void check_whole_numbers(const std::string& path) {
  const Indices x = read_npy_indices(path);
  write_npy(copy_path(), x);
  require(read_npy_indices(copy_path()) == x, "the whole numbers are the same");
}

void run(const std::uint8_t* bytes, std::size_t size) {
  const std::string& path = file_with(bytes, size);
  try {
    check_floats(path);
  } catch (const FileError& error) {
    require(error.kind() > FileErrorKind::CannotWrite, "the file system is not at fault");
    require(error.byte() <= static_cast<Index>(size), "a byte of the file");
    if (error.kind() == FileErrorKind::WrongDtype) check_whole_numbers(path);
  }
  std::remove(copy_path().c_str());
}

}  // namespace
}  // namespace vitro::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  vitro::fuzz::run(bytes, size);
  return 0;
}
