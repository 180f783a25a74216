#include "examples/common/output_file.h"

#include <filesystem>
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

}  // namespace

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail({"cannot make the folder '", path, "': ", error.message()});
  if (!fs::is_directory(path, error)) fail({"'", path, "' is no folder"});
}

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) fail({"cannot write '", path, "': it is a folder"});
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::is_directory(folder, error)) return;
  fail({"cannot write '", path, "': there is no folder '", folder.string(), "'"});
}

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file("write_file", path);
  file.write(text.data(), static_cast<Index>(text.size()));
  file.commit();
}

}  // namespace vitro::examples
