#include "tensor/files/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tensor/files/file_error.h"
#include "tensor/system.h"

namespace vitro {
namespace {

namespace fs = std::filesystem;

// A name that no other writer uses: not in this process, and no other process has its number.
std::string temporary_name(const std::string& target) {
  static std::atomic<Index> counter{0};
  return join_text({target, ".", process_id(), "-", counter.fetch_add(1), ".tmp"});
}

}  // namespace

AtomicFile::AtomicFile(const char* function, const std::string& path)
    : function_(function), path_(path), target_(path) {
  if (path.empty()) fail("cannot be written", ENOENT);
  if (path.find('\0') != std::string::npos) fail("cannot be written", EINVAL);
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path linked = fs::weakly_canonical(path, error);
    if (error) fail("cannot be written", error.value());
    target_ = linked.string();
  }
  // Renaming over a folder fails late, over a device it would replace the device.
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) {
    fail("cannot be written", static_cast<int>(std::errc::is_a_directory));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail("is no regular file", static_cast<int>(std::errc::operation_not_supported));
  }
  std::string name = temporary_name(target_);
  const fs::path name_as_path(name);
  file_.reset(std::fopen(name.c_str(), "wbx"));
  if (!file_) fail("cannot be written", errno);
  // From here on nothing asks for memory or throws: what was made will be removed.
  temporary_path_ = std::move(name);
  if (fs::exists(status)) fs::permissions(name_as_path, status.permissions(), error);
}

AtomicFile::~AtomicFile() {
  file_.reset();
  // Not std::filesystem's, which may ask for memory.
  if (!temporary_path_.empty()) std::remove(temporary_path_.c_str());
}

void AtomicFile::fail(const char* what, int error_number) const {
  throw_system_error(FileErrorKind::CannotWrite, function_, path_, what, error_number);
}

void AtomicFile::write(const void* bytes, Index count) {
  if (count == 0) return;
  const auto size = static_cast<std::size_t>(count);
  if (std::fwrite(bytes, 1, size, file_.get()) != size) fail("cannot be written", errno);
}

void AtomicFile::commit() {
  const std::string parent = fs::path(target_).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  if (!flush_to_disk(file_.get())) fail("cannot be written", errno);
  if (std::fclose(file_.release()) != 0) fail("cannot be written", errno);
  std::error_code error;
  fs::rename(temporary_path_, target_, error);
  if (error) fail("cannot be replaced", error.value());
  temporary_path_.clear();
  flush_folder_to_disk(folder);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;  // also by a hard link
  const fs::path real_a = fs::weakly_canonical(fs::absolute(a, error), error);
  if (error) return a == b;
  const fs::path real_b = fs::weakly_canonical(fs::absolute(b, error), error);
  return error ? a == b : real_a == real_b;
}

}  // namespace vitro
