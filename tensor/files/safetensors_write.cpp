// The writer of safetensors files.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/files/atomic_file.h"
#include "tensor/files/json_reader.h"
#include "tensor/files/safetensors.h"
#include "tensor/utf8.h"

namespace vitro {
namespace {

constexpr const char* kFunction = "write_safetensors";
constexpr std::size_t kAlignment = 8;  // of the first number in the file

// One tensor on its way into the file.
struct Item {
  const NamedValues* source;
  Dtype dtype;
  Shape shape;

  Index byte_count() const { return shape.element_count() * dtype_size(dtype); }
};

Item make_item(const NamedValues& source, Dtype float_dtype) {
  if (const auto* tensor = std::get_if<Tensor>(&source.values)) {
    return {&source, float_dtype, tensor->shape()};
  }
  return {&source, Dtype::I64, std::get<Indices>(source.values).shape()};
}

void check_text(const std::string& text, const char* what) {
  const Index invalid = find_invalid_utf8(text);
  if (invalid < 0) return;
  throw_invalid({kFunction, ": the ", what, " ", quoted(text), " is not UTF-8 at its byte ",
                 invalid, "; all text in the file must be"});
}

void check_names(const std::vector<NamedValues>& tensors) {
  std::set<std::string_view> names;
  for (const NamedValues& tensor : tensors) {
    check_text(tensor.name, "name");
    if (tensor.name == "__metadata__") {
      throw_invalid({kFunction, ": no tensor can be named __metadata__; the format uses the name"});
    }
    if (!names.insert(tensor.name).second) {
      throw_invalid(
          {kFunction, ": two tensors are named ", quoted(tensor.name), "; a name stands for one"});
    }
  }
}

std::string metadata_json(const std::map<std::string, std::string>& metadata) {
  std::string json;
  for (const auto& [key, value] : metadata) {
    check_text(key, "metadata key");
    check_text(value, "metadata value");
    json += (json.empty() ? "" : ",") + json_string(key) + ":" + json_string(value);
  }
  return "\"__metadata__\":{" + json + "}";
}

std::string entry_json(const Item& item, Index begin) {
  std::string sizes;
  for (const Index size : item.shape) sizes += join_text({sizes.empty() ? "" : ",", size});
  return join_text({json_string(item.source->name), ":{\"dtype\":\"", dtype_name(item.dtype),
                    "\",\"shape\":[", sizes, "],\"data_offsets\":[", begin, ",",
                    begin + item.byte_count(), "]}"});
}

// The file's first part: the header's length and the header, padded so that numbers start aligned.
std::string header_bytes(const std::vector<Item>& items,
                         const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  if (!metadata.empty()) header += metadata_json(metadata);
  Index begin = 0;
  for (const Item& item : items) {
    if (header.size() > 1) header += ",";
    header += entry_json(item, begin);
    begin += item.byte_count();
  }
  header += "}";
  header.append((kAlignment - header.size() % kAlignment) % kAlignment, ' ');
  if (header.size() > static_cast<std::size_t>(kMaxSafetensorsHeader)) {
    throw_invalid({kFunction, ": a header of ", header.size(), " bytes; at most ",
                   kMaxSafetensorsHeader, " are allowed: keep less metadata"});
  }
  std::string length(8, '\0');
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  return length + header;
}

void write_item(AtomicFile& file, const Item& item) {
  if (const auto* indices = std::get_if<Indices>(&item.source->values)) {
    return write_numbers(file, indices->values().data(), indices->element_count());
  }
  const Tensor x = contiguous(std::get<Tensor>(item.source->values));
  write_numbers(file, item.dtype, x.data(), x.element_count());
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<NamedValues>& tensors,
                       const std::map<std::string, std::string>& metadata, Dtype float_dtype) {
  if (float_dtype != Dtype::F32 && float_dtype != Dtype::F64) {
    throw_invalid({kFunction, ": ", dtype_name(float_dtype), "; floats are written as F32 or F64"});
  }
  check_names(tensors);
  std::vector<Item> items;
  items.reserve(tensors.size());
  for (const NamedValues& tensor : tensors) items.push_back(make_item(tensor, float_dtype));
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    const Index size_a = dtype_size(a.dtype);
    const Index size_b = dtype_size(b.dtype);
    return size_a != size_b ? size_a > size_b : a.source->name < b.source->name;
  });
  const std::string header = header_bytes(items, metadata);
  AtomicFile file(kFunction, path);
  file.write(header.data(), static_cast<Index>(header.size()));
  for (const Item& item : items) write_item(file, item);
  file.commit();
}

}  // namespace vitro
