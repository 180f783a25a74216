// FileError: what is wrong with a file, of which kind, and at which byte.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tensor/error.h"
#include "tensor/scalar.h"

namespace vitro {

/// From CannotOpen to TrailingBytes in the order in which a safetensors file is checked: of several
/// faults in one file, the kind that stands first here is reported.
enum class FileErrorKind {
  // The system said no.
  CannotOpen,   ///< missing, a folder, no permission
  CannotRead,   ///< the disk fails, or the file shrank while it was read
  CannotWrite,  ///< missing folder, no permission, disk full
  // The start of a file.
  HeaderTooSmall,       ///< too few bytes to be a file of this format
  HeaderTooLarge,       ///< a header longer than the format allows
  InvalidHeaderLength,  ///< a header longer than the file
  // The text of a header.
  InvalidUtf8,
  HeaderStart,   ///< the first byte is no {
  InvalidJson,   ///< syntax, or nesting deeper than the format's own
  DuplicateKey,  ///< compared after unescaping
  BadMetadata,   ///< no object of strings
  // One tensor's entry.
  BadEntry,          ///< no object; a field missing or unknown
  UnknownDtype,      ///< no number type of the format
  UnsupportedDtype,  ///< a number type that Vitro does not read
  BadInteger,        ///< a size or offset that is no whole number from 0 to 2^48 - 1
  RankTooLarge,      ///< more than 8 axes
  Overflow,          ///< more elements than a tensor can have
  InvalidOffset,     ///< offsets that are not [begin, end]
  SizeMismatch,      ///< another number of bytes than the shape takes
  // The data.
  Hole,           ///< bytes that belong to no tensor
  Overlap,        ///< bytes that belong to two
  Truncated,      ///< the file ends before its data
  TrailingBytes,  ///< the file goes on after its data
  // Only .npy files.
  BadMagic,         ///< does not start with \x93NUMPY
  BadVersion,       ///< none of 1.0, 2.0, 3.0
  BadHeader,        ///< no dict literal of the expected form
  BadKeys,          ///< other keys than descr, fortran_order, shape
  BadShape,         ///< no tuple of whole numbers
  ObjectDtype,      ///< pickled Python objects
  AmbiguousEndian,  ///< a number type without < or >
  // A sound file that does not hold what was asked for.
  MissingTensor,
  WrongDtype,
  WrongShape,
};

/// The name as it stands above.
const char* file_error_kind_name(FileErrorKind kind);

/// A file that cannot be opened, read or written, or that breaks its format's rules. what() reads
/// `function: path (byte 8): what is wrong, with the values; what would be right`.
class FileError : public std::runtime_error {
 public:
  /// Stands for "no particular byte".
  static constexpr Index kNoByte = -1;

  FileError(FileErrorKind kind, const char* function, const std::string& path, Index byte,
            std::initializer_list<TextPiece> pieces);

  FileErrorKind kind() const { return kind_; }

  const std::string& path() const { return path_; }

  /// Counted from the file's start; kNoByte where the fault has no place.
  Index byte() const { return byte_; }

 private:
  FileErrorKind kind_;
  std::string path_;
  Index byte_;
};

/// A FileError whose sentence ends with the system's reason for `error_number` (an errno).
[[noreturn]] void throw_system_error(FileErrorKind kind, const char* function,
                                     const std::string& path, const char* what, int error_number);

/// `text` in quotes for a message: one line, what cannot be seen spelled out (see visible_text),
/// shortened if long.
std::string quoted(std::string_view text);

}  // namespace vitro
