// Every way in which a .npy file can be malformed, and every liberty that is allowed.
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "tensor/files/npy.h"
#include "tensor/storage.h"

#include "tests/support/files.h"

namespace vitro {
namespace {

using testing_support::expect_refused;
using testing_support::file_error_of;
using testing_support::little_endian;
using testing_support::MalformedFile;
using testing_support::take_mark;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;
using enum FileErrorKind;

const std::string kMagic = "\x93NUMPY";
const std::string kNumbers = little_endian(0x3F800000, 4) + little_endian(0x40000000, 4) +
                             little_endian(0x40400000, 4) + little_endian(0x40800000, 4) +
                             little_endian(0x40A00000, 4) + little_endian(0x40C00000, 4);

std::string dict_of(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + "}";
}

const std::string kGood = dict_of("'<f4'", "False", "(2, 3)");
const std::string kOpen = kGood.substr(0, kGood.size() - 1);  // without the '}'

// A version-1 file with this header and the numbers 1 to 6 as F32.
std::string bytes_of(const std::string& header, const std::string& data = kNumbers) {
  return kMagic + std::string("\1\0", 2) + little_endian(header.size(), 2) + header + data;
}

// The same where '^' marks the fault in the header.
MalformedFile file_of(const std::string& name, FileErrorKind kind, std::string header) {
  const std::optional<Index> fault = take_mark(header);
  return {name, kind, bytes_of(header), 10 + fault.value_or(0)};
}

MalformedFile with_descr(const std::string& name, FileErrorKind kind, const std::string& descr) {
  return file_of(name, kind, dict_of(descr, "False", "(6,)") + "\n");
}

MalformedFile with_shape(const std::string& name, FileErrorKind kind, const std::string& shape) {
  return file_of(name, kind, dict_of("'<f4'", "False", shape) + "\n");
}

// A sound header, and data that is not.
MalformedFile with_data(const std::string& name, FileErrorKind kind, const std::string& data,
                        Index fault_byte) {
  const std::string header = kGood + "\n";
  return {name, kind, bytes_of(header, data), 10 + static_cast<Index>(header.size()) + fault_byte};
}

std::vector<MalformedFile> malformed_starts() {
  const std::string version_2 = kMagic + std::string("\2\0", 2);
  const std::string rest = bytes_of(kGood + "\n").substr(8);  // after the version
  return {
      {"EmptyFile", BadMagic, "", 0},
      {"WrongMagic", BadMagic, "\x93NUMPX" + std::string("\1\0", 2) + rest, 0},
      {"ZipArchive", BadMagic, "PK\3\4" + std::string(60, '\0'), 0},
      {"CutInMagic", BadMagic, kMagic.substr(0, 5), 0},
      {"OnlyMagic", HeaderTooSmall, kMagic, 6},
      {"CutInLength", HeaderTooSmall, version_2 + std::string("\1\0\0", 3), 11},
      {"Version1Dot1", BadVersion, kMagic + std::string("\1\1", 2) + rest, 6},
      {"Version4Dot0", BadVersion, kMagic + std::string("\4\0", 2) + rest, 6},
      {"Version0Dot0", BadVersion, kMagic + std::string("\0\0", 2) + rest, 6},
      {"PastTheEnd", InvalidHeaderLength, bytes_of(kGood + "\n", "").substr(0, 67), 10},
      {"Over10000Bytes", HeaderTooLarge, bytes_of(kGood + std::string(10'000, ' ') + "\n"), 10},
      {"Of4Gigabytes", HeaderTooLarge, version_2 + "\xFF\xFF\xFF\xFF" + kGood, 12},
      file_of("NoNewline", BadHeader, kGood + "^"),
      file_of("EmptyHeader", BadHeader, ""),
      with_data("ShortData", Truncated, kNumbers.substr(0, 23), 23),
      with_data("NoData", Truncated, "", 0),
      with_data("BytesAfterTheData", TrailingBytes, kNumbers + "x", 24),
  };
}

std::vector<MalformedFile> malformed_dicts() {
  return {
      file_of("OnlyNewline", BadHeader, "\n^"),
      file_of("NotADict", BadHeader, "^['<f4', False, (6,)]\n"),
      file_of("CodeInsteadOfADict", BadHeader, "^__import__('os').abort()\n"),
      file_of("CodeAfterTheDict", BadHeader, kGood + "^.clear()\n"),
      file_of("CodeAsFortranOrder", BadHeader, dict_of("'<f4'", "^bool(1)", "(6,)") + "\n"),
      with_descr("CodeAsDescr", BadHeader, "^chr(60)"),
      with_descr("EscapeInString", BadHeader, "^'\\x3cf4'"),
      file_of("UnclosedString", BadHeader, "{'descr': '<f4, '^fortran_order': False}\n"),
      file_of("FortranOrderNumber", BadHeader, dict_of("'<f4'", "^1", "(6,)") + "\n"),
      file_of("Unclosed", BadHeader, kOpen + "\n^"),
      file_of("EmptyDict", BadKeys, "{}^\n"),
      file_of("MissingKey", BadKeys, "{'descr': '<f4', 'fortran_order': False, }^\n"),
      file_of("ExtraKey", BadKeys, kOpen + ", ^'x': 1}\n"),
      file_of("DuplicateKey", DuplicateKey, kOpen + ", ^'shape': (6,)}\n"),
      with_descr("PythonObjects", ObjectDtype, "^'|O'"),
      with_descr("PythonObjectsOfASize", ObjectDtype, "^'|O8'"),
      with_descr("UnicodeText", UnsupportedDtype, "^'<U4'"),
      with_descr("Complex", UnsupportedDtype, "^'<c8'"),
      with_descr("Structure", UnsupportedDtype, "^[('a', '<f4')]"),
      with_descr("EmptyDescr", UnsupportedDtype, "^''"),
      with_descr("OrderOfThisMachine", AmbiguousEndian, "^'=f4'"),
      with_descr("NoOrder", AmbiguousEndian, "^'f4'"),
      with_descr("OrderNotApplicable", AmbiguousEndian, "^'|f4'"),
  };
}

std::vector<MalformedFile> malformed_shapes() {
  return {
      with_shape("List", BadShape, "^[2, 3]"),
      with_shape("Integer", BadShape, "^6"),
      with_shape("IntegerInParentheses", BadShape, "(6)^"),
      with_shape("None", BadShape, "^None"),
      with_shape("TrueAsSize", BadShape, "(^True, 6)"),
      with_shape("NegativeSize", BadShape, "(^-1,)"),
      with_shape("HexadecimalSize", BadShape, "(^0x2, 3)"),
      with_shape("SizeWithLeadingZero", BadShape, "(^06,)"),
      with_shape("SizeWithPoint", BadShape, "(^6.0,)"),
      with_shape("SizeWithPlus", BadShape, "(^+6,)"),
      with_shape("SizeWithUnderscore", BadShape, "(2, ^1_0)"),
      with_shape("CodeAsSize", BadShape, "(^3+3,)"),
      with_shape("OnlyComma", BadShape, "(^,)"),
      with_shape("TwoCommas", BadShape, "(2,^,3)"),
      with_shape("NoComma", BadShape, "(2 ^3)"),
      with_shape("Nested", BadShape, "(^(2, 3),)"),
      with_shape("Unclosed", BadShape, "(2, 3, ^"),
      with_shape("SizeOver64Bits", Overflow, "(^99999999999999999999,)"),
      with_shape("ProductOverflows", Overflow, "^(8589934592, 8589934592)"),
      with_shape("ProductOverflowsBesideZero", Overflow, "^(0, 8589934592, 8589934592)"),
      file_of("BytesOverflowWhereTheProductFits", Overflow,
              dict_of("'<f8'", "False", "^(2147483648, 2147483648)") + "\n"),
      with_shape("MoreThanTheFileHolds", SizeMismatch, "^(1000000, 1000000)"),
      with_shape("MoreThanTheWholeFile", SizeMismatch, "^(23,)"),
      {"MoreThanTheDataButNotTheFile", Truncated,
       bytes_of(dict_of("'<f4'", "False", "(22,)") + "\n"), 91},
      with_shape("NineAxes", RankTooLarge, "^(1, 1, 1, 1, 1, 1, 1, 1, 6)"),
  };
}

class NpyMalformed : public testing::TestWithParam<MalformedFile> {};

TEST_P(NpyMalformed, IsRefusedWithKindPathAndByte) {
  expect_refused(GetParam(), "read_npy", [](const std::string& path) { read_npy(path); });
}

TEST(NpyChecks, BL54_SizesWhoseProductOverflowsTakeNoMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.npy");
  for (const char* descr : {"'<f2'", "'<f4'", "'<f8'", "'<i8'"}) {
    for (const char* shape : {"(8589934592, 8589934592)", "(2147483648, 2147483648)"}) {
      write_bytes(path, bytes_of(dict_of(descr, "False", shape) + "\n"));
      const Index requests = memory_counts().system_requests;
      const std::string error = file_error_of([&] { read_npy(path); });
      EXPECT_TRUE(error.starts_with("Overflow at ")) << descr << shape << ": " << error;
      EXPECT_EQ(memory_counts().system_requests, requests) << shape;
    }
  }
}

std::string name_of(const testing::TestParamInfo<MalformedFile>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Start, NpyMalformed, testing::ValuesIn(malformed_starts()), name_of);
INSTANTIATE_TEST_SUITE_P(Dict, NpyMalformed, testing::ValuesIn(malformed_dicts()), name_of);
INSTANTIATE_TEST_SUITE_P(Shape, NpyMalformed, testing::ValuesIn(malformed_shapes()), name_of);

struct Accepted {
  std::string name;
  std::string bytes;

  friend std::ostream& operator<<(std::ostream& stream, const Accepted& file) {
    return stream << file.name;
  }
};

std::vector<Accepted> accepted_files() {
  const std::string four_bytes = little_endian(kGood.size() + 1, 4) + kGood + "\n" + kNumbers;
  std::string swapped;
  for (std::size_t i = 0; i < kNumbers.size(); ++i) swapped += kNumbers[i / 4 * 4 + 3 - i % 4];
  std::string columns;
  for (const std::size_t i : {0, 3, 1, 4, 2, 5}) columns += kNumbers.substr(4 * i, 4);
  return {
      {"NoPadding", bytes_of(kGood + "\n")},
      {"MuchPadding", bytes_of(kGood + std::string(900, ' ') + "\n")},
      {"TrailingCommas", bytes_of("{'descr':'<f4','fortran_order':False,'shape':(2,3,),}\n")},
      {"Version2", kMagic + std::string("\2\0", 2) + four_bytes},
      {"Version3", kMagic + std::string("\3\0", 2) + four_bytes},
      {"DoubleQuotes",
       bytes_of("{\"descr\": \"<f4\", \"fortran_order\": False, 'shape': (2, 3)}\n")},
      {"AnyKeyOrder", bytes_of("{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}\n")},
      {"WhiteSpace",
       bytes_of(" {\n'descr'\t: '<f4' , 'fortran_order':False,'shape':( 2 , 3 ) } \n")},
      {"FortranOrder", bytes_of(dict_of("'<f4'", "True", "(2, 3)") + "\n", columns)},
      {"BigEndian", bytes_of(dict_of("'>f4'", "False", "(2, 3)") + "\n", swapped)},
  };
}

class NpyAccepted : public testing::TestWithParam<Accepted> {};

TEST_P(NpyAccepted, GivesTheNumbers) {
  const TemporaryFolder folder;
  const std::string path = folder.file("good.npy");
  write_bytes(path, GetParam().bytes);
  const Tensor x = read_npy(path);
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.to_vector(), (std::vector<Scalar>{1, 2, 3, 4, 5, 6}));
}

INSTANTIATE_TEST_SUITE_P(Rows, NpyAccepted, testing::ValuesIn(accepted_files()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vitro
