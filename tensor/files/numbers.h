// Numbers in files: their types, and their way into memory and back.
#pragma once

#include "tensor/files/atomic_file.h"
#include "tensor/files/input_file.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace vitro {

/// The number types that Vitro reads. F64, F32, F16 and BF16 (the upper half of an F32) become
/// Scalars; I64, I32, U8 and BOOL become Indices.
enum class Dtype { F64, F32, F16, BF16, I64, I32, U8, BOOL };

inline namespace VITRO_SCALAR_NAMESPACE {

/// The type of Scalar.
inline constexpr Dtype kScalarDtype = sizeof(Scalar) == 8 ? Dtype::F64 : Dtype::F32;

}  // namespace VITRO_SCALAR_NAMESPACE

const char* dtype_name(Dtype dtype);
Index dtype_size(Dtype dtype);
bool is_float(Dtype dtype);

enum class ByteOrder { kLittle, kBig };

/// Where numbers lie in a file.
struct NumberBlock {
  Index start;  // first byte
  Index count;
  Dtype dtype;
  ByteOrder order = ByteOrder::kLittle;
};

/// Widening is exact; F64 is rounded to float in the float build (to infinity beyond its range).
/// Takes a small fixed buffer, and none where the numbers are Scalars already.
void read_numbers(const InputFile& file, const NumberBlock& block, Scalar* out);

/// Which of the numbers, as a Scalar, is the first NaN or infinity; -1 where all are finite.
Index first_non_finite(const InputFile& file, const NumberBlock& block);

/// BOOL gives 0 or 1.
void read_numbers(const InputFile& file, const NumberBlock& block, Index* out);

/// Little-endian, as `dtype`: F32 or F64.
void write_numbers(AtomicFile& file, Dtype dtype, const Scalar* numbers, Index count);

/// Little-endian I64.
void write_numbers(AtomicFile& file, const Index* numbers, Index count);

}  // namespace vitro
