#include "tensor/files/file_error.h"

#include <array>
#include <string_view>
#include <system_error>

#include "tensor/pictures/glyphs.h"
#include "tensor/utf8.h"

namespace vitro {
namespace {

std::string place_text(const char* function, const std::string& path, Index byte) {
  const std::string place = join_text({function, ": ", path});
  return byte == FileError::kNoByte ? place : join_text({place, " (byte ", byte, ")"});
}

}  // namespace

const char* file_error_kind_name(FileErrorKind kind) {
  static constexpr std::array kNames = {
      "CannotOpen",     "CannotRead",          "CannotWrite",   "HeaderTooSmall",
      "HeaderTooLarge", "InvalidHeaderLength", "InvalidUtf8",   "HeaderStart",
      "InvalidJson",    "DuplicateKey",        "BadMetadata",   "BadEntry",
      "UnknownDtype",   "UnsupportedDtype",    "BadInteger",    "RankTooLarge",
      "Overflow",       "InvalidOffset",       "SizeMismatch",  "Hole",
      "Overlap",        "Truncated",           "TrailingBytes", "BadMagic",
      "BadVersion",     "BadHeader",           "BadKeys",       "BadShape",
      "ObjectDtype",    "AmbiguousEndian",     "MissingTensor", "WrongDtype",
      "WrongShape"};
  static_assert(kNames.size() == static_cast<std::size_t>(FileErrorKind::WrongShape) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

FileError::FileError(FileErrorKind kind, const char* function, const std::string& path, Index byte,
                     std::initializer_list<TextPiece> pieces)
    : std::runtime_error(error_text({place_text(function, path, byte), ": ", join_text(pieces)})),
      kind_(kind),
      path_(path),
      byte_(byte) {}

void throw_system_error(FileErrorKind kind, const char* function, const std::string& path,
                        const char* what, int error_number) {
  const std::string reason = std::error_code(error_number, std::generic_category()).message();
  throw FileError(kind, function, path, FileError::kNoByte, {what, ": ", reason});
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;  // bytes, cut between characters
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + first_character(text.substr(end)).size();
    if (next > kLongest) break;
    end = next;
  }
  return "\"" + visible_text(text.substr(0, end)) + (end < text.size() ? "…\"" : "\"");
}

}  // namespace vitro
