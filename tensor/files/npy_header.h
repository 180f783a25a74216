// The header of a .npy file (NumPy Enhancement Proposal 1): one tensor's type, order and shape.
#pragma once

#include <string>

#include "tensor/files/input_file.h"
#include "tensor/files/numbers.h"
#include "tensor/scalar.h"
#include "tensor/shape.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

struct NpyHeader {
  Dtype dtype = Dtype::F32;
  ByteOrder byte_order = ByteOrder::kLittle;
  bool fortran_order = false;  ///< the first axis runs fastest
  Shape shape;
  Index data_start = 0;  ///< byte of the file
};

/// Reads and checks the header, and that the file holds the numbers it speaks of, no more and no
/// less. Throws FileError before anything is allocated for them.
NpyHeader read_npy_header(const InputFile& file);

/// The first bytes of a file, version 1.0: everything before the numbers, a multiple of 64.
std::string npy_header_bytes(Dtype dtype, const Shape& shape);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
