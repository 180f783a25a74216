// Files for tests: a folder that vanishes, whole files in and out, and what an error says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>

#include "tensor/files/file_error.h"
#include "tensor/system.h"

namespace vitro::testing_support {

/// Where files live in memory, where the system has such a place: a thousand times faster for tests
/// that write one small file after the other.
inline std::filesystem::path folder_for_tests() {
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
}

/// A new empty folder, removed with everything in it in the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(folder_for_tests() / new_name()) {
    std::filesystem::create_directories(path_);
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path() const { return path_.string(); }

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// How many files and folders are in it.
  long entry_count() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  static std::string new_name() {
    static int counter = 0;
    return "vitro-test-" + std::to_string(process_id()) + "-" + std::to_string(counter++);
  }

  std::filesystem::path path_;
};

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(stream.flush()) << path;
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// `count` bytes of an unsigned number, the lowest first.
inline std::string little_endian(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

/// A malformed file, and what is to be said about it.
struct MalformedFile {
  std::string name;
  FileErrorKind kind;
  std::string bytes;
  Index fault_byte = 0;

  /// How a test's parameter is shown.
  friend std::ostream& operator<<(std::ostream& stream, const MalformedFile& file) {
    return stream << file.name;
  }
};

/// Takes the mark '^', which stands where a fault is, out of `text`: the place of the fault, or
/// nothing where there is no mark.
inline std::optional<Index> take_mark(std::string& text) {
  const std::size_t place = text.find('^');
  if (place == std::string::npos) return std::nullopt;
  text.erase(place, 1);
  return static_cast<Index>(place);
}

/// What `action` throws, as text: "Hole at 12: sentence". "no error" where it throws nothing.
inline std::string file_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const FileError& error) {
    return std::string(file_error_kind_name(error.kind())) + " at " + std::to_string(error.byte()) +
           ": " + error.what();
  }
  return "no error";
}

/// Writes the file and expects that `read` refuses it: with its kind, its byte, the reader's name
/// and the path, in one line.
inline void expect_refused(const MalformedFile& file, const std::string& reader,
                           const std::function<void(const std::string& path)>& read) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad");
  write_bytes(path, file.bytes);
  const std::string error = file_error_of([&] { read(path); });
  const std::string expected = std::string(file_error_kind_name(file.kind)) + " at " +
                               std::to_string(file.fault_byte) + ": " + reader + ": " + path;
  EXPECT_EQ(error.substr(0, expected.size()), expected) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

}  // namespace vitro::testing_support
