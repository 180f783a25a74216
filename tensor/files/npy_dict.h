// The Python dict literal in a .npy header. It is read by its grammar and never evaluated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/files/input_file.h"
#include "tensor/scalar.h"

namespace vitro {

/// What the dict says; the number type is still a text such as "<f4".
struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;
  Index descr_byte = 0;  // bytes of the file
  Index shape_byte = 0;
};

/// `text` starts at byte `start` of `file`, and ends with a newline. Throws FileError: BadHeader,
/// BadKeys, DuplicateKey, BadShape, Overflow, UnsupportedDtype.
NpyDict parse_npy_dict(std::string_view text, const InputFile& file, Index start);

}  // namespace vitro
