#include "tensor/files/safetensors.h"

#include <cstdint>
#include <utility>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

constexpr const char* kFunction = "SafetensorsFile";
constexpr Index kLengthBytes = 8;  // of the header's length, before the header

std::uint64_t header_length(const InputFile& file) {
  if (file.size() < kLengthBytes) {
    file.fail(FileErrorKind::HeaderTooSmall, 0,
              {"the file has ", file.size(), " bytes; it takes at least ", kLengthBytes,
               " for the header's length"});
  }
  std::uint64_t length = 0;
  file.read(0, &length, kLengthBytes);
  const std::string length_text = std::to_string(length);
  if (length > static_cast<std::uint64_t>(kMaxSafetensorsHeader)) {
    file.fail(FileErrorKind::HeaderTooLarge, 0,
              {"a header of ", length_text, " bytes; at most ", kMaxSafetensorsHeader,
               " are allowed (is it a safetensors file?)"});
  }
  if (length > static_cast<std::uint64_t>(file.size() - kLengthBytes)) {
    file.fail(FileErrorKind::InvalidHeaderLength, 0,
              {"a header of ", length_text, " bytes, but the file ends ",
               file.size() - kLengthBytes, " bytes after its length"});
  }
  return length;
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  InputFile file(kFunction, path);
  const auto length = static_cast<Index>(header_length(file));
  const Index data_start = kLengthBytes + length;
  const std::string text = file.read_text(kLengthBytes, length);
  SafetensorsHeader header = parse_safetensors_header(text, file.size() - data_start, path);
  return SafetensorsFile(std::move(file), std::move(header), data_start);
}

SafetensorsFile::SafetensorsFile(InputFile file, SafetensorsHeader header, Index data_start)
    : file_(std::move(file)), header_(std::move(header)), data_start_(data_start) {
  for (std::size_t i = 0; i < header_.entries.size(); ++i) {
    places_.emplace(header_.entries[i].name, i);
  }
}

const SafetensorsEntry& SafetensorsFile::entry(std::string_view name) const {
  const auto place = places_.find(name);
  if (place == places_.end()) {
    file_.fail(FileErrorKind::MissingTensor, FileError::kNoByte,
               {"holds no tensor ", quoted(name), "; it holds ", header_.entries.size(), " others",
                header_.entries.empty() ? "" : ", such as " + quoted(places_.begin()->first)});
  }
  return header_.entries[place->second];
}

const SafetensorsEntry& SafetensorsFile::float_entry(std::string_view name) const {
  const SafetensorsEntry& found = entry(name);
  if (!is_float(found.dtype)) {
    file_.fail(FileErrorKind::WrongDtype, data_start_ + found.begin,
               {quoted(name), " holds ", dtype_name(found.dtype),
                "; a Tensor is read from floats, whole numbers are read with indices()"});
  }
  return found;
}

NumberBlock SafetensorsFile::block_of(const SafetensorsEntry& entry) const {
  return {data_start_ + entry.begin, entry.shape.element_count(), entry.dtype};
}

Tensor SafetensorsFile::tensor(std::string_view name) const {
  const SafetensorsEntry& found = float_entry(name);
  return Tensor::filled(found.shape,
                        [&](Scalar* out) { read_numbers(file_, block_of(found), out); });
}

Index SafetensorsFile::first_non_finite(std::string_view name) const {
  return vitro::first_non_finite(file_, block_of(float_entry(name)));
}

Indices SafetensorsFile::indices(std::string_view name) const {
  const SafetensorsEntry& found = entry(name);
  if (is_float(found.dtype)) {
    file_.fail(FileErrorKind::WrongDtype, data_start_ + found.begin,
               {quoted(name), " holds ", dtype_name(found.dtype),
                "; Indices are read from whole numbers, floats are read with tensor()"});
  }
  std::vector<Index> values(static_cast<std::size_t>(found.shape.element_count()));
  read_numbers(file_, block_of(found), values.data());
  return Indices(found.shape, std::move(values));
}

void SafetensorsFile::read_into(std::string_view name, Tensor& target) const {
  const SafetensorsEntry& found = float_entry(name);
  if (found.shape != target.shape()) {
    file_.fail(FileErrorKind::WrongShape, data_start_ + found.begin,
               {quoted(name), " is ", found.shape, " in the file; the target is ", target.shape()});
  }
  read_numbers(file_, block_of(found), target.mutable_data());
}

void SafetensorsFile::read_into(std::string_view name, Scalar* out) const {
  read_numbers(file_, block_of(float_entry(name)), out);
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
