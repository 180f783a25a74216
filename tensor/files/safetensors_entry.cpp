#include "tensor/files/safetensors_entry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace vitro {
namespace {

constexpr Index kMaxInteger = (Index{1} << 48) - 1;  // of sizes and offsets

std::optional<Dtype> find_dtype(std::string_view name) {
  for (const Dtype dtype : {Dtype::F64, Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::I64, Dtype::I32,
                            Dtype::U8, Dtype::BOOL}) {
    if (name == dtype_name(dtype)) return dtype;
  }
  return std::nullopt;
}

bool is_known_to_the_format(std::string_view name) {
  constexpr std::array<std::string_view, 12> kOthers = {"I8",      "I16",     "U16",     "U32",
                                                        "U64",     "F8_E4M3", "F8_E5M2", "F8_E8M0",
                                                        "F6_E2M3", "F6_E3M2", "F4",      "C64"};
  return std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

// A whole number from 0 to 2^48 - 1, written without needless zeros.
std::optional<Index> parse_size(std::string_view text) {
  Index value = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  const bool has_needless_zero = text.size() > 1 && text.front() == '0';
  const bool is_whole = result.ec == std::errc() && result.ptr == end && text.front() != '-';
  if (!is_whole || has_needless_zero || value > kMaxInteger) return std::nullopt;
  return value;
}

// A list of sizes or offsets. Longer lists than any tensor has are counted but not kept.
struct IntegerList {
  std::vector<Index> values;
  Index count = 0;
  Index byte = 0;
  bool is_good = true;
};

// What an entry says, before it is checked.
struct RawEntry {
  std::optional<std::string> dtype;
  std::optional<IntegerList> shape;
  std::optional<IntegerList> offsets;
  Index byte = 0;
  Index dtype_byte = 0;
};

class EntryReader {
 public:
  EntryReader(JsonReader& reader, const std::string& name, HeaderFaults& faults)
      : reader_(reader), name_(name), faults_(faults) {}

  std::optional<SafetensorsEntry> read();

 private:
  void read_field(const std::string& field);
  IntegerList read_integers();
  std::optional<SafetensorsEntry> checked();
  std::optional<Shape> checked_shape();

  // Notes a fault of this entry: "the entry of NAME …".
  void note(FileErrorKind kind, Index byte, std::initializer_list<TextPiece> pieces) {
    faults_.note(kind, byte, {"the entry of ", quoted(name_), " ", join_text(pieces)});
  }

  JsonReader& reader_;
  const std::string& name_;
  HeaderFaults& faults_;
  RawEntry raw_;
};

std::optional<SafetensorsEntry> EntryReader::read() {
  raw_.byte = reader_.byte();
  const JsonKind kind = reader_.peek();
  if (kind != JsonKind::kObject) {
    note(FileErrorKind::BadEntry, raw_.byte,
         {"is ", json_kind_text(kind), "; it must be an object"});
    reader_.skip();
    return std::nullopt;
  }
  std::vector<std::string> fields;
  std::vector<Index> bytes;
  reader_.begin_object();
  while (std::optional<std::string> field = reader_.next_key()) {
    bytes.push_back(reader_.byte());
    read_field(*field);
    fields.push_back(std::move(*field));
  }
  faults_.note_duplicate(fields, bytes);
  return checked();
}

void EntryReader::read_field(const std::string& field) {
  const Index byte = reader_.byte();
  const JsonKind kind = reader_.peek();
  if (field == "dtype" && kind == JsonKind::kString) {
    raw_.dtype = reader_.read_string();
    raw_.dtype_byte = byte;
  } else if (field == "shape" && kind == JsonKind::kArray) {
    raw_.shape = read_integers();
  } else if (field == "data_offsets" && kind == JsonKind::kArray) {
    raw_.offsets = read_integers();
  } else {
    note(FileErrorKind::BadEntry, byte,
         {"has ", json_kind_text(kind), " under ", quoted(field),
          "; it must have a string dtype and arrays shape and data_offsets, nothing else"});
    reader_.skip();
  }
}

IntegerList EntryReader::read_integers() {
  IntegerList list;
  list.byte = reader_.byte();
  reader_.begin_array();
  while (reader_.next_element()) {
    const Index byte = reader_.byte();
    const bool is_number = reader_.peek() == JsonKind::kNumber;
    reader_.skip();
    const std::string_view text = reader_.text_between(byte, reader_.position());
    const std::optional<Index> value = is_number ? parse_size(text) : std::nullopt;
    if (!value) {
      note(FileErrorKind::BadInteger, byte,
           {"has ", quoted(text), "; sizes and offsets are whole numbers from 0 to 2^48 - 1"});
    }
    list.is_good = list.is_good && value;
    if (value && list.count < kMaxRank) list.values.push_back(*value);
    ++list.count;
  }
  return list;
}

std::optional<Shape> EntryReader::checked_shape() {
  const IntegerList& sizes = *raw_.shape;
  if (!sizes.is_good) return std::nullopt;  // noted already
  if (sizes.count > kMaxRank) {
    note(FileErrorKind::RankTooLarge, sizes.byte,
         {"has ", sizes.count, " axes; a tensor has at most ", kMaxRank});
    return std::nullopt;
  }
  if (!element_count_fits(sizes.values)) {
    note(FileErrorKind::Overflow, sizes.byte,
         {"has sizes that multiply to more than 2^56; a tensor has fewer elements"});
    return std::nullopt;
  }
  return Shape(sizes.values);
}

std::optional<SafetensorsEntry> EntryReader::checked() {
  if (!raw_.dtype || !raw_.shape || !raw_.offsets) {
    note(FileErrorKind::BadEntry, raw_.byte,
         {"lacks a field; it must have dtype, shape and data_offsets"});
    return std::nullopt;
  }
  const std::optional<Dtype> dtype = find_dtype(*raw_.dtype);
  if (!dtype) {
    const bool is_known = is_known_to_the_format(*raw_.dtype);
    note(is_known ? FileErrorKind::UnsupportedDtype : FileErrorKind::UnknownDtype, raw_.dtype_byte,
         {"has dtype ", quoted(*raw_.dtype),
          "; Vitro reads F64, F32, F16, BF16, I64, I32, U8 and BOOL"});
  }
  const std::optional<Shape> shape = checked_shape();
  const IntegerList& offsets = *raw_.offsets;
  if (!offsets.is_good) return std::nullopt;  // noted already
  if (offsets.count != 2 || offsets.values[0] > offsets.values[1]) {
    note(FileErrorKind::InvalidOffset, offsets.byte,
         {"has other data_offsets than [begin, end] with begin <= end"});
    return std::nullopt;
  }
  if (!dtype || !shape) return std::nullopt;
  const Index span = offsets.values[1] - offsets.values[0];
  const Index byte_count = shape->element_count() * dtype_size(*dtype);
  if (span != byte_count) {
    note(FileErrorKind::SizeMismatch, offsets.byte,
         {"spans ", span, " bytes; ", *raw_.dtype, " ", *shape, " takes ", byte_count});
    return std::nullopt;
  }
  return SafetensorsEntry{name_, *dtype, *shape, offsets.values[0], offsets.values[1]};
}

}  // namespace

inline namespace VITRO_SCALAR_NAMESPACE {

std::optional<SafetensorsEntry> read_safetensors_entry(JsonReader& reader, const std::string& name,
                                                       HeaderFaults& faults) {
  return EntryReader(reader, name, faults).read();
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
