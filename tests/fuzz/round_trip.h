// What the fuzzers of file formats share: bytes as a file, and numbers compared by their bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tensor/system.h"
#include "tensor/tensor.h"

namespace vitro::fuzz {

/// A path for this process alone, in memory where the system has such a place.
inline std::string file_path(const std::string& name) {
  const std::filesystem::path memory = "/dev/shm";
  const auto folder =
      std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  return (folder / ("vitro-fuzz-" + std::to_string(process_id()) + "-" + name)).string();
}

/// A file with these bytes.
inline const std::string& file_with(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = file_path("input");
  static const int removal = std::atexit([] { std::remove(path.c_str()); });
  static_cast<void>(removal);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  return path;
}

/// Stops the fuzzer: `condition` always holds.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Same shape and same bits, NaN and -0 included.
inline bool is_identical(const Tensor& a, const Tensor& b) {
  const auto size = static_cast<std::size_t>(a.element_count()) * sizeof(Scalar);
  if (a.shape() != b.shape()) return false;
  return size == 0 || std::memcmp(a.data(), b.data(), size) == 0;
}

}  // namespace vitro::fuzz
