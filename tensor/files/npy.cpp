#include "tensor/files/npy.h"

#include <array>
#include <utility>
#include <vector>

#include "tensor/files/atomic_file.h"
#include "tensor/files/input_file.h"
#include "tensor/files/npy_header.h"
#include "tensor/files/numbers.h"

namespace vitro {
namespace {

constexpr const char* kWriter = "write_npy";

// Brings numbers whose first axis runs fastest into row-major order.
template <typename Number>
void column_to_row_major(const Shape& shape, const Number* in, Number* out) {
  std::array<Index, kMaxRank> index{};
  std::array<Index, kMaxRank> steps{};  // what a step along each axis moves in `in`
  Index step = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.rank()); ++axis) {
    steps[axis] = step;
    step *= shape.begin()[axis];
  }
  Index place = 0;
  for (Index i = 0; i < shape.element_count(); ++i) {
    out[i] = in[place];
    // Count up like an odometer, the last axis first.
    for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
      const auto at = static_cast<std::size_t>(axis);
      place += steps[at];
      if (++index[at] < shape.begin()[axis]) break;
      place -= index[at] * steps[at];
      index[at] = 0;
    }
  }
}

template <typename Number>
void read_in_row_major(const InputFile& file, const NpyHeader& header, Number* out) {
  const Index count = header.shape.element_count();
  const NumberBlock block{header.data_start, count, header.dtype, header.byte_order};
  if (!header.fortran_order) return read_numbers(file, block, out);
  std::vector<Number> columns(static_cast<std::size_t>(count));
  read_numbers(file, block, columns.data());
  column_to_row_major(header.shape, columns.data(), out);
}

}  // namespace

Tensor read_npy(const std::string& path) {
  const InputFile file("read_npy", path);
  const NpyHeader header = read_npy_header(file);
  if (!is_float(header.dtype)) {
    file.fail(
        FileErrorKind::WrongDtype, FileError::kNoByte,
        {"holds ", dtype_name(header.dtype), "; whole numbers are read with read_npy_indices()"});
  }
  return Tensor::filled(header.shape, [&](Scalar* out) { read_in_row_major(file, header, out); });
}

Indices read_npy_indices(const std::string& path) {
  const InputFile file("read_npy_indices", path);
  const NpyHeader header = read_npy_header(file);
  if (is_float(header.dtype)) {
    file.fail(FileErrorKind::WrongDtype, FileError::kNoByte,
              {"holds ", dtype_name(header.dtype), "; floats are read with read_npy()"});
  }
  std::vector<Index> values(static_cast<std::size_t>(header.shape.element_count()));
  read_in_row_major(file, header, values.data());
  return Indices(header.shape, std::move(values));
}

void write_npy(const std::string& path, const Tensor& x) {
  const std::string header = npy_header_bytes(kScalarDtype, x.shape());
  const Tensor in_order = contiguous(x);
  AtomicFile file(kWriter, path);
  file.write(header.data(), static_cast<Index>(header.size()));
  write_numbers(file, kScalarDtype, in_order.data(), x.element_count());
  file.commit();
}

void write_npy(const std::string& path, const Indices& x) {
  const std::string header = npy_header_bytes(Dtype::I64, x.shape());
  AtomicFile file(kWriter, path);
  file.write(header.data(), static_cast<Index>(header.size()));
  write_numbers(file, x.values().data(), x.element_count());
  file.commit();
}

}  // namespace vitro
