#include "tensor/files/input_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace vitro {
namespace {

// The reason why `path` is no file to read from; 0 where it is one, as far as can be seen.
int reason_against(const std::string& path) {
  // The system would stop reading the name there, and open another file.
  if (path.find('\0') != std::string::npos) return static_cast<int>(std::errc::invalid_argument);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) return error.value();
  if (std::filesystem::is_directory(status)) return static_cast<int>(std::errc::is_a_directory);
  const bool is_regular = std::filesystem::is_regular_file(status);
  return is_regular ? 0 : static_cast<int>(std::errc::operation_not_supported);
}

}  // namespace

InputFile::InputFile(const char* function, const std::string& path)
    : function_(function), path_(path) {
  const int reason = reason_against(path);
  if (reason != 0) {
    throw_system_error(FileErrorKind::CannotOpen, function, path, "cannot be opened", reason);
  }
  errno = 0;
  stream_.open(path, std::ios::in | std::ios::binary);
  if (!stream_) {
    throw_system_error(FileErrorKind::CannotOpen, function, path, "cannot be opened", errno);
  }
  stream_.seekg(0, std::ios::end);
  size_ = static_cast<Index>(stream_.tellg());
  if (!stream_ || size_ < 0) {
    throw_system_error(FileErrorKind::CannotRead, function, path, "its size is unknown", errno);
  }
}

void InputFile::read(Index start, void* out, Index count) const {
  if (count == 0) return;
  errno = 0;
  stream_.clear();
  stream_.seekg(start);
  stream_.read(static_cast<char*>(out), count);
  if (stream_) return;
  if (errno != 0) {
    throw_system_error(FileErrorKind::CannotRead, function_, path_, "cannot be read", errno);
  }
  fail(FileErrorKind::CannotRead, start,
       {"the file ends after ", static_cast<Index>(stream_.gcount()), " of ", count,
        " bytes; it had ", size_, " when it was opened"});
}

std::string InputFile::read_text(Index start, Index count) const {
  std::string text(static_cast<std::size_t>(count), '\0');
  read(start, text.data(), count);
  return text;
}

void InputFile::fail(FileErrorKind kind, Index byte,
                     std::initializer_list<TextPiece> pieces) const {
  throw FileError(kind, function_, path_, byte, pieces);
}

std::string read_small_file(const char* function, const std::string& path) {
  constexpr Index kMaxBytes = 100'000'000;
  const InputFile file(function, path);
  if (file.size() > kMaxBytes) {
    file.fail(FileErrorKind::HeaderTooLarge, FileError::kNoByte,
              {file.size(), " bytes; at most ", kMaxBytes, " are read"});
  }
  return file.read_text(0, file.size());
}

}  // namespace vitro
