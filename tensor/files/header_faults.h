// HeaderFaults: what is wrong with a header, so far.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tensor/files/file_error.h"
#include "tensor/scalar.h"

namespace vitro {

/// Keeps of all faults noted the one whose kind stands first in FileErrorKind; of one kind, the
/// one noted first. So a file with several faults is always reported by the same one.
class HeaderFaults {
 public:
  /// `header_start` is the header's first byte in the file: faults are noted by bytes of the
  /// header.
  HeaderFaults(const char* function, const std::string& path, Index header_start)
      : function_(function), path_(path), header_start_(header_start) {}

  void note(FileErrorKind kind, Index byte, std::initializer_list<TextPiece> pieces);

  /// Notes DuplicateKey where one of `keys`, which stand at `bytes`, equals an earlier one.
  void note_duplicate(const std::vector<std::string>& keys, const std::vector<Index>& bytes);

  bool empty() const { return !first_; }

  /// Throws the fault, if there is one.
  void throw_first() const;

 private:
  const char* function_;
  std::string path_;
  Index header_start_;
  std::optional<FileError> first_;
};

}  // namespace vitro
