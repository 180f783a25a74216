// safetensors: tensors with names in one file, the format of weights and checkpoints.
//
// u64 N | N bytes of JSON: names, types, shapes, places | the numbers, row-major, one after the
// other. Everything is little-endian. A file is checked whole when it is opened, before anything
// is allocated for its tensors. Only a disk that fails later can still stop a tensor halfway: see
// read_into.
//
//     const SafetensorsFile file = SafetensorsFile::open("model.safetensors");
//     const Tensor table = file.tensor("wte.weight");  // [vocab, channels]
//
//     write_safetensors("model.safetensors", {{"wte.weight", table}}, {{"format", "pt"}});
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/files/input_file.h"
#include "tensor/files/numbers.h"
#include "tensor/files/safetensors_header.h"
#include "tensor/indices.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// An open file whose header is sound. Numbers are read when they are asked for, in any order and
/// any number of times, by one thread at a time.
class SafetensorsFile {
 public:
  /// Throws FileError where the file cannot be opened or breaks a rule of the format.
  static SafetensorsFile open(const std::string& path);

  const std::string& path() const { return file_.path(); }

  /// The texts under `__metadata__`.
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

  /// All tensors, in the order of their data.
  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }

  bool contains(std::string_view name) const { return places_.find(name) != places_.end(); }

  /// Throws FileError (MissingTensor) where there is none of that name.
  const SafetensorsEntry& entry(std::string_view name) const;

  /// The numbers of an F64, F32, F16 or BF16 tensor as Scalars. Throws FileError (WrongDtype) for
  /// whole numbers.
  Tensor tensor(std::string_view name) const;

  /// Which number of a float tensor, counted in row-major order, is the first NaN or infinity; -1
  /// where all are finite. Throws FileError (WrongDtype) for whole numbers.
  Index first_non_finite(std::string_view name) const;

  /// The numbers of an I64, I32, U8 or BOOL tensor. Throws FileError (WrongDtype) for floats.
  Indices indices(std::string_view name) const;

  /// The numbers of a float tensor straight into `target`, which keeps its memory unless it shares
  /// it. Throws FileError: MissingTensor, WrongDtype for whole numbers, WrongShape where its shape
  /// is another; and CannotRead, where a part of `target` is new already.
  void read_into(std::string_view name, Tensor& target) const;

  /// The same, but for WrongShape, into plain memory for entry(name).shape.element_count() Scalars.
  void read_into(std::string_view name, Scalar* out) const;

 private:
  SafetensorsFile(InputFile file, SafetensorsHeader header, Index data_start);

  NumberBlock block_of(const SafetensorsEntry& entry) const;
  const SafetensorsEntry& float_entry(std::string_view name) const;

  InputFile file_;
  SafetensorsHeader header_;
  Index data_start_;
  std::map<std::string, std::size_t, std::less<>> places_;  // name → index in header_.entries
};

/// What is written under a name: floats, or whole numbers (as I64).
struct NamedValues {
  std::string name;
  std::variant<Tensor, Indices> values;
};

}  // namespace VITRO_SCALAR_NAMESPACE

/// Writes one file that appears whole or not at all. Floats are written as `float_dtype`, F32 or
/// F64: Scalar's own type, unless a double program saves weights for others. The same content gives
/// the same bytes: tensors go by item size, largest first, then by name.
/// Throws FileError (CannotWrite) with the system's reason, and std::invalid_argument for a name
/// that comes twice, is "__metadata__", or is not UTF-8; the old file stays as it was.
void write_safetensors(const std::string& path, const std::vector<NamedValues>& tensors,
                       const std::map<std::string, std::string>& metadata = {},
                       Dtype float_dtype = kScalarDtype);

}  // namespace vitro
