#include "examples/common/output_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <system_error>

#include "tensor/error.h"
#include "tensor/files/atomic_file.h"

namespace vitro::examples {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::initializer_list<TextPiece> pieces) {
  throw std::runtime_error(join_text(pieces));
}

// Whether `path` is a folder, or will be one once `future_folder` and those above it are made.
bool is_folder(const fs::path& path, const std::string& future_folder) {
  std::error_code error;
  if (fs::is_directory(path, error)) return true;
  if (future_folder.empty()) return false;
  const fs::path wanted = fs::absolute(path).lexically_normal();
  fs::path made = fs::absolute(future_folder).lexically_normal();
  for (; made.has_relative_path(); made = made.parent_path()) {
    if (made == wanted || made == wanted / "") return true;
  }
  return false;
}

}  // namespace

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail({"cannot make the folder '", path, "': ", error.message()});
  if (!fs::is_directory(path, error)) fail({"'", path, "' is no folder"});
}

void check_writable(const std::string& path, const std::string& future_folder) {
  if (is_folder(path, future_folder)) fail({"cannot write '", path, "': it is a folder"});
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || is_folder(folder, future_folder)) return;
  fail({"cannot write '", path, "': there is no folder '", folder.string(), "'"});
}

void try_writing(const std::string& path) {
  AtomicFile file("write_file", path);  // vanishes without commit()
}

void try_appending(const std::string& path) {
  if (!fs::exists(path)) return try_writing(path);
  errno = 0;
  if (!std::ofstream(path, std::ios::app)) {
    fail({"cannot write '", path, "': ", std::generic_category().message(errno)});
  }
}

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file("write_file", path);
  file.write(text.data(), static_cast<Index>(text.size()));
  file.commit();
}

}  // namespace vitro::examples
