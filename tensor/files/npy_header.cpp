#include "tensor/files/npy_header.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "tensor/files/npy_dict.h"

namespace vitro {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr Index kMaxHeader = 10'000;  // bytes; NumPy's own limit
constexpr Index kAlignment = 64;      // of the first number

struct DtypeCode {
  std::string_view code;
  Dtype dtype;
};

constexpr std::array<DtypeCode, 7> kCodes = {{{"f8", Dtype::F64},
                                              {"f4", Dtype::F32},
                                              {"f2", Dtype::F16},
                                              {"i8", Dtype::I64},
                                              {"i4", Dtype::I32},
                                              {"u1", Dtype::U8},
                                              {"b1", Dtype::BOOL}}};

std::optional<Dtype> find_dtype(std::string_view code) {
  for (const DtypeCode& known : kCodes) {
    if (known.code == code) return known.dtype;
  }
  return std::nullopt;
}

// Where the dict begins and how long it is.
struct DictPlace {
  Index start;
  Index length;
};

// Magic, version and the dict's length: two bytes in version 1, four in 2 and 3.
DictPlace find_dict(const InputFile& file) {
  std::array<unsigned char, 12> bytes{};
  file.read(0, bytes.data(), std::min<Index>(file.size(), bytes.size()));
  const auto magic_size = static_cast<Index>(kMagic.size());
  const bool has_magic = std::equal(kMagic.begin(), kMagic.end(), bytes.begin(), [](char a, int b) {
    return static_cast<unsigned char>(a) == b;
  });
  if (!has_magic || file.size() < magic_size) {
    file.fail(FileErrorKind::BadMagic, 0,
              {"no .npy file; it must start with the bytes \\x93NUMPY"});
  }
  const int major = bytes[6];
  const Index start = major == 1 ? 10 : 12;
  if (file.size() < start) {
    file.fail(FileErrorKind::HeaderTooSmall, file.size(),
              {"the file has ", file.size(), " bytes; it takes at least ", start,
               " to say how long its header is"});
  }
  if (major < 1 || major > 3 || bytes[7] != 0) {
    file.fail(FileErrorKind::BadVersion, magic_size,
              {"version ", major, ".", static_cast<int>(bytes[7]), "; known are 1.0, 2.0, 3.0"});
  }
  Index length = bytes[8] | bytes[9] << 8;
  if (major > 1) length |= Index{bytes[10]} << 16 | Index{bytes[11]} << 24;
  return {start, length};
}

std::string read_dict_text(const InputFile& file, const DictPlace& place) {
  if (place.length > kMaxHeader) {
    file.fail(FileErrorKind::HeaderTooLarge, place.start,
              {"a header of ", place.length, " bytes; at most ", kMaxHeader, " are allowed"});
  }
  if (place.length > file.size() - place.start) {
    file.fail(FileErrorKind::InvalidHeaderLength, place.start,
              {"a header of ", place.length, " bytes, but the file ends after ",
               file.size() - place.start});
  }
  std::string text = file.read_text(place.start, place.length);
  if (text.empty() || text.back() != '\n') {
    file.fail(FileErrorKind::BadHeader, place.start + place.length,
              {"the header does not end with a newline; it must"});
  }
  return text;
}

// "<f4": byte order, kind, bytes a number.
void read_descr(const InputFile& file, const NpyDict& dict, NpyHeader& header) {
  std::string_view code = dict.descr;
  const char order = code.empty() ? '\0' : code.front();
  const bool has_order =
      order != '\0' && std::string_view("<>=|").find(order) != std::string_view::npos;
  if (has_order) code.remove_prefix(1);
  if (code.starts_with("O")) {
    file.fail(FileErrorKind::ObjectDtype, dict.descr_byte,
              {"descr ", quoted(dict.descr), ": Python objects; Vitro reads numbers only"});
  }
  const std::optional<Dtype> dtype = find_dtype(code);
  if (!dtype) {
    file.fail(FileErrorKind::UnsupportedDtype, dict.descr_byte,
              {"descr ", quoted(dict.descr),
               "; Vitro reads <f2, <f4, <f8, <i4, <i8 (also with >), |u1 and |b1"});
  }
  if (dtype_size(*dtype) > 1 && order != '<' && order != '>') {
    file.fail(FileErrorKind::AmbiguousEndian, dict.descr_byte,
              {"descr ", quoted(dict.descr), " does not say in which order its bytes lie; it ",
               "must start with < or >"});
  }
  header.dtype = *dtype;
  header.byte_order = order == '>' ? ByteOrder::kBig : ByteOrder::kLittle;
}

void read_shape(const InputFile& file, const NpyDict& dict, NpyHeader& header) {
  if (static_cast<Index>(dict.shape.size()) > kMaxRank) {
    file.fail(FileErrorKind::RankTooLarge, dict.shape_byte,
              {"the shape has ", dict.shape.size(), " axes; a tensor has at most ", kMaxRank});
  }
  if (!element_count_fits(dict.shape)) {
    file.fail(FileErrorKind::Overflow, dict.shape_byte,
              {"the sizes multiply to more than 2^56; a tensor has fewer elements"});
  }
  header.shape = Shape(dict.shape);
}

// A shape that cannot belong to a file of this size is a SizeMismatch; a file that ends early, or
// goes on, is Truncated or has TrailingBytes.
void check_data_size(const InputFile& file, const NpyHeader& header, Index shape_byte) {
  const Index byte_count = header.shape.element_count() * dtype_size(header.dtype);
  const Index found = file.size() - header.data_start;
  if (byte_count == found) return;
  const Index end = header.data_start + std::min(byte_count, found);
  const bool is_absurd = byte_count > file.size();
  const bool is_short = byte_count > found;
  file.fail(is_absurd ? FileErrorKind::SizeMismatch
                      : (is_short ? FileErrorKind::Truncated : FileErrorKind::TrailingBytes),
            is_absurd ? shape_byte : end,
            {"the file has ", found, " bytes of data; ", dtype_name(header.dtype), " ",
             header.shape, " takes ", byte_count});
}

}  // namespace

inline namespace VITRO_SCALAR_NAMESPACE {

NpyHeader read_npy_header(const InputFile& file) {
  const DictPlace place = find_dict(file);
  const std::string text = read_dict_text(file, place);
  const NpyDict dict = parse_npy_dict(text, file, place.start);
  NpyHeader header;
  read_descr(file, dict, header);
  read_shape(file, dict, header);
  header.fortran_order = dict.fortran_order;
  header.data_start = place.start + place.length;
  check_data_size(file, header, dict.shape_byte);
  return header;
}

std::string npy_header_bytes(Dtype dtype, const Shape& shape) {
  const auto* const known = std::find_if(kCodes.begin(), kCodes.end(),
                                         [dtype](const DtypeCode& x) { return x.dtype == dtype; });
  std::string sizes;
  for (const Index size : shape) sizes += join_text({sizes.empty() ? "" : ", ", size});
  if (shape.rank() == 1) sizes += ",";
  std::string dict = join_text(
      {"{'descr': '<", known->code, "', 'fortran_order': False, 'shape': (", sizes, "), }"});
  constexpr Index kBefore = 10;  // magic, version, length
  const Index unpadded = kBefore + static_cast<Index>(dict.size()) + 1;
  dict.append(static_cast<std::size_t>((kAlignment - unpadded % kAlignment) % kAlignment), ' ');
  dict += '\n';
  std::string bytes(kMagic);
  bytes +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  return bytes + dict;
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
