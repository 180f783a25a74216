// InputFile: a file of known size, read at any place.
#pragma once

#include <fstream>
#include <initializer_list>
#include <string>

#include "tensor/error.h"
#include "tensor/files/file_error.h"
#include "tensor/scalar.h"

namespace vitro {

/// Open from construction to destruction. One thread at a time may read.
class InputFile {
 public:
  /// `function` opens every error's sentence. Throws FileError (CannotOpen) with the system's
  /// reason where `path` is missing, a folder, a device, or not to be read.
  InputFile(const char* function, const std::string& path);

  const std::string& path() const { return path_; }

  const char* function() const { return function_; }

  /// In bytes, when it was opened.
  Index size() const { return size_; }

  /// `count` bytes from byte `start` on. Throws FileError (CannotRead) where they are not there.
  void read(Index start, void* out, Index count) const;
  std::string read_text(Index start, Index count) const;

  /// Throws a FileError about this file.
  [[noreturn]] void fail(FileErrorKind kind, Index byte,
                         std::initializer_list<TextPiece> pieces) const;

 private:
  const char* function_;
  std::string path_;
  mutable std::ifstream stream_;
  Index size_ = 0;
};

/// The whole of a small file. Throws FileError: HeaderTooLarge above 100 MB.
std::string read_small_file(const char* function, const std::string& path);

}  // namespace vitro
