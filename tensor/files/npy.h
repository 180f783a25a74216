// .npy: one tensor in one file, to look at from NumPy (numpy.load) or PyTorch, and back.
#pragma once

#include <string>

#include "tensor/indices.h"
#include "tensor/tensor.h"

namespace vitro {

/// A file of floats: f2, f4 or f8 in either byte order, row-major or Fortran order. Throws
/// FileError where it cannot be opened or breaks a rule of the format, before anything is allocated
/// for its numbers; WrongDtype where it holds whole numbers.
Tensor read_npy(const std::string& path);

/// A file of whole numbers: i8, i4, u1 or b1. Throws FileError likewise; WrongDtype for floats.
Indices read_npy_indices(const std::string& path);

/// Writes one file that appears whole or not at all: <f4, <f8 in the double build, <i8 for Indices.
/// Throws FileError (CannotWrite) with the system's reason; the old file stays as it was.
void write_npy(const std::string& path, const Tensor& x);
void write_npy(const std::string& path, const Indices& x);

}  // namespace vitro
