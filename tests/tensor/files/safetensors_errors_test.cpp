// Every way in which a safetensors file can be malformed, each in a small file of its own.
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensor/files/safetensors.h"
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

// A file of this header and this data. '^' marks the fault.
MalformedFile file_of(const std::string& name, FileErrorKind kind, std::string header,
                      std::string data = "") {
  const std::optional<Index> in_header = take_mark(header);
  const std::optional<Index> in_data = take_mark(data);
  const Index data_start = 8 + static_cast<Index>(header.size());
  const Index fault_byte = in_header ? 8 + *in_header : (in_data ? data_start + *in_data : 0);
  return {name, kind, little_endian(header.size(), 8) + header + data, fault_byte};
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "\"U8\"") {
  return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

const std::string kData = "12345678";
const std::string kW = entry("w", "[8]", "[0,8]");

MalformedFile with_shape(const std::string& name, FileErrorKind kind, const std::string& shape) {
  return file_of(name, kind, "{" + entry("w", shape, "[0,8]") + "}", kData);
}

MalformedFile with_offsets(const std::string& name, FileErrorKind kind,
                           const std::string& offsets) {
  return file_of(name, kind, "{" + entry("w", "[8]", offsets) + "}", kData);
}

MalformedFile with_dtype(const std::string& name, FileErrorKind kind, const std::string& dtype) {
  return file_of(name, kind, "{" + entry("w", "[8]", "[0,8]", dtype) + "}", kData);
}

MalformedFile with_metadata(const std::string& name, FileErrorKind kind,
                            const std::string& metadata) {
  return file_of(name, kind, "{\"__metadata__\":" + metadata + "," + kW + "}", kData);
}

MalformedFile with_fields(const std::string& name, const std::string& fields) {
  return file_of(name, BadEntry, "{\"w\":" + fields + "}", kData);
}

MalformedFile raw(const std::string& name, FileErrorKind kind, const std::string& bytes) {
  return {name, kind, bytes, 0};
}

std::vector<MalformedFile> malformed_lengths() {
  return {
      raw("EmptyFile", HeaderTooSmall, ""),
      raw("SevenBytes", HeaderTooSmall, std::string(7, '\0')),
      raw("LengthOver100000000", HeaderTooLarge, little_endian(100'000'001, 8) + "{}"),
      raw("LengthOf64Bits", HeaderTooLarge, std::string(8, '\xFF') + "{}"),
      raw("LengthThatWrapsAround", HeaderTooLarge, little_endian(~0ULL - 7, 8) + "{}"),
      raw("LongerThanFile", InvalidHeaderLength, little_endian(3, 8) + "{}"),
      raw("LengthAtItsLimit", InvalidHeaderLength, little_endian(100'000'000, 8) + "{}"),
  };
}

std::vector<MalformedFile> malformed_texts() {
  return {
      file_of("OverlongUtf8", InvalidUtf8, "{\"^\xC0\x80\":1}"),
      file_of("SurrogateInUtf8", InvalidUtf8, "{\"^\xED\xA0\x80\":1}"),
      file_of("CutUtf8", InvalidUtf8, "{\"^\xE2\x82\":1}"),
      file_of("Utf8Above10FFFF", InvalidUtf8, "{\"^\xF4\x90\x80\x80\":1}"),
      file_of("StrayContinuation", InvalidUtf8, "{\"^\x80\":1}"),
      file_of("EmptyHeader", HeaderStart, "^"),
      file_of("StartsWithSpace", HeaderStart, "^ {}"),
      file_of("StartsWithByteOrderMark", HeaderStart, "^\xEF\xBB\xBF{}"),
      file_of("ArrayAtTop", HeaderStart, "^[]"),
      file_of("Unclosed", InvalidJson, "{^"),
      file_of("SingleQuotes", InvalidJson, "{^'w':1}"),
      file_of("TrailingComma", InvalidJson, "{" + kW + ",^}", kData),
      file_of("MissingColon", InvalidJson, "{\"w\" ^1}"),
      file_of("ControlCharacterInString", InvalidJson, "{\"^\n\":1}"),
      with_shape("NestedDeeperThanTheFormat", InvalidJson, "[^[8]]"),
      file_of("DeepNesting", InvalidJson, "{\"w\":[[^" + std::string(100'000, '[')),
      file_of("LoneHighSurrogateEscape", InvalidJson, "{\"^\\ud800\":1}"),
      file_of("LoneLowSurrogateEscape", InvalidJson, "{\"^\\udc00\":1}"),
      file_of("TwoHighSurrogateEscapes", InvalidJson, "{\"^\\ud800\\ud800\":1}"),
      file_of("NewlineAfterHeader", InvalidJson, "{}^\n"),
      file_of("NulAfterHeader", InvalidJson, "{} ^" + std::string(1, '\0')),
      file_of("SecondObjectAfterHeader", InvalidJson, "{}^{}"),
      file_of("DuplicateName", DuplicateKey, "{" + kW + ",\"w\":^{}}", kData),
      file_of("DuplicateAfterUnescaping", DuplicateKey, "{" + kW + ",\"\\u0077\":^{}}", kData),
      file_of("DuplicateField", DuplicateKey, "{\"w\":{\"dtype\":\"U8\",\"dtype\":^\"U8\"}}"),
      with_metadata("DuplicateMetadata", DuplicateKey, "{\"a\":\"1\",\"a\":^\"2\"}"),
      file_of("DuplicateMetadataObject", DuplicateKey,
              "{\"__metadata__\":{},\"__metadata__\":^{}}"),
      with_metadata("MetadataNull", BadMetadata, "^null"),
      with_metadata("MetadataArray", BadMetadata, "^[\"a\"]"),
      with_metadata("MetadataString", BadMetadata, "^\"a\""),
      with_metadata("MetadataWithNumber", BadMetadata, "{\"a\":^1}"),
      with_metadata("MetadataWithObject", BadMetadata, "{\"a\":^{}}"),
      with_metadata("MetadataWithNull", BadMetadata, "{\"a\":^null}"),
  };
}

std::vector<MalformedFile> malformed_entries() {
  return {
      with_fields("EntryNumber", "^1"),
      with_fields("EntryArray", "^[]"),
      with_fields("EntryNull", "^null"),
      with_fields("DtypeMissing", "^{\"shape\":[8],\"data_offsets\":[0,8]}"),
      with_fields("ShapeMissing", "^{\"dtype\":\"U8\",\"data_offsets\":[0,8]}"),
      with_fields("OffsetsMissing", "^{\"dtype\":\"U8\",\"shape\":[8]}"),
      with_fields("FieldUnknown",
                  "{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8],\"strides\":^[1]}"),
      with_dtype("DtypeNumber", BadEntry, "^32"),
      with_shape("ShapeObject", BadEntry, "^{\"a\":8}"),
      with_shape("ShapeNumber", BadEntry, "^8"),
      with_dtype("DtypeUnknown", UnknownDtype, "^\"F31\""),
      with_dtype("DtypeInLowerCase", UnknownDtype, "^\"f32\""),
      with_dtype("DtypeEmpty", UnknownDtype, "^\"\""),
      with_dtype("DtypeI16", UnsupportedDtype, "^\"I16\""),
      with_dtype("DtypeFloat8", UnsupportedDtype, "^\"F8_E4M3\""),
      with_dtype("DtypeU64", UnsupportedDtype, "^\"U64\""),
      with_shape("SizeNegative", BadInteger, "[^-8]"),
      with_shape("SizeMinusZero", BadInteger, "[^-0]"),
      with_shape("SizeWithPoint", BadInteger, "[^8.0]"),
      with_shape("SizeWithExponent", BadInteger, "[^1e3]"),
      with_shape("SizeString", BadInteger, "[^\"8\"]"),
      with_shape("SizeNull", BadInteger, "[^null]"),
      with_shape("SizeTrue", BadInteger, "[8,^true]"),
      with_shape("SizeWithLeadingZero", BadInteger, "[^08]"),
      with_shape("SizeOf2To48", BadInteger, "[^281474976710656]"),
      with_shape("SizeOf64Bits", BadInteger, "[^18446744073709551624]"),
      with_offsets("OffsetNegative", BadInteger, "[^-8,0]"),
      with_offsets("OffsetWithPoint", BadInteger, "[0,^8.0]"),
      with_shape("NineAxes", RankTooLarge, "^[1,1,1,1,1,1,1,1,8]"),
      with_shape("ProductOfSizesOverflows", Overflow, "^[8589934592,8589934592]"),
      with_shape("ProductOverflowsBesideZero", Overflow, "^[8589934592,8589934592,0]"),
      with_shape("LargestSizesOverflow", Overflow, "^[281474976710655,281474976710655]"),
      file_of("BytesOverflowWhereTheProductFits", Overflow,
              "{" + entry("w", "^[2147483648,2147483648]", "[0,8]", "\"F64\"") + "}", kData),
  };
}

std::vector<MalformedFile> malformed_layouts() {
  const std::string a = entry("a", "[4]", "[0,4]");
  return {
      with_offsets("OneOffset", InvalidOffset, "^[8]"),
      with_offsets("NoOffset", InvalidOffset, "^[]"),
      with_offsets("ThreeOffsets", InvalidOffset, "^[0,8,8]"),
      with_offsets("BeginAfterEnd", InvalidOffset, "^[8,0]"),
      with_offsets("SpanTooLong", SizeMismatch, "^[0,9]"),
      with_offsets("SpanTooShort", SizeMismatch, "^[0,7]"),
      file_of("SpanForgetsItemSize", SizeMismatch,
              "{" + entry("w", "[8]", "^[0,8]", "\"F32\"") + "}", kData),
      file_of("FirstNotAtZero", Hole, "{" + entry("w", "[8]", "[4,12]") + "}", "^123412345678"),
      file_of("GapBetweenTensors", Hole, "{" + a + "," + entry("b", "[4]", "[6,10]") + "}",
              "1234^561234"),
      file_of("TensorsOverlap", Overlap, "{" + entry("b", "[4]", "[3,7]") + "," + a + "}",
              "123^4567"),
      file_of("SamePlaceTwice", Overlap, "{" + a + "," + entry("b", "[4]", "[0,4]") + "}", "^1234"),
      file_of("EmptyTensorInsideAnother", Overlap, "{" + a + "," + entry("b", "[0]", "[2,2]") + "}",
              "12^34"),
      file_of("OverlapBehindTheFile", Overlap, "{" + a + "," + entry("b", "[4]", "[3,7]") + "}",
              "12^"),
      file_of("GapBehindTheFile", Hole, "{" + a + "," + entry("b", "[4]", "[6,10]") + "}", "12^"),
      file_of("DataMissing", Truncated, "{" + kW + "}", "1234567^"),
      file_of("NoDataAtAll", Truncated, "{" + kW + "}", "^"),
      file_of("DataLeftOver", TrailingBytes, "{" + kW + "}", "12345678^9"),
      file_of("DataWithoutTensors", TrailingBytes, "{}", "^1"),
  };
}

class SafetensorsMalformed : public testing::TestWithParam<MalformedFile> {};

TEST_P(SafetensorsMalformed, IsRefusedWithKindPathAndByte) {
  expect_refused(GetParam(), "SafetensorsFile",
                 [](const std::string& path) { SafetensorsFile::open(path); });
}

std::string name_of(const testing::TestParamInfo<MalformedFile>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Length, SafetensorsMalformed, testing::ValuesIn(malformed_lengths()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Text, SafetensorsMalformed, testing::ValuesIn(malformed_texts()), name_of);
INSTANTIATE_TEST_SUITE_P(Entry, SafetensorsMalformed, testing::ValuesIn(malformed_entries()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Layout, SafetensorsMalformed, testing::ValuesIn(malformed_layouts()),
                         name_of);

// Of several faults the one that is checked first is reported, wherever it stands in the text.
TEST(SafetensorsChecks, ComeInTheOrderOfTheKinds) {
  const std::vector<std::pair<FileErrorKind, std::string>> faults = {
      {InvalidOffset, entry("a", "[8]", "[8,0]")},
      {Overflow, entry("b", "[8589934592,8589934592]", "[0,8]")},
      {RankTooLarge, entry("c", "[1,1,1,1,1,1,1,1,1]", "[0,1]")},
      {BadInteger, entry("d", "[-1]", "[0,8]")},
      {UnsupportedDtype, entry("e", "[]", "[0,1]", "\"I8\"")},
      {UnknownDtype, entry("f", "[]", "[0,1]", "\"I9\"")},
      {BadEntry, "\"g\":{\"dtype\":\"U8\",\"shape\":[8]}"},
      {BadMetadata, "\"__metadata__\":1"},
      {DuplicateKey, "\"a\":{}"},
      {InvalidJson, "\"h\":[}"},
  };
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.safetensors");
  std::string members;
  for (const auto& [kind, member] : faults) {
    members += (members.empty() ? "" : ",") + member;
    write_bytes(path, file_of("", kind, "{" + members + "}", "123").bytes);
    const std::string error = file_error_of([&] { SafetensorsFile::open(path); });
    EXPECT_TRUE(error.starts_with(file_error_kind_name(kind))) << members << "\n" << error;
  }
}

// Before any tensor memory is taken, whatever the size of the item.
TEST(SafetensorsChecks, BL54_SizesWhoseProductOverflowsTakeNoMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.safetensors");
  for (const char* dtype : {"\"U8\"", "\"F16\"", "\"F32\"", "\"F64\"", "\"I64\""}) {
    for (const char* shape : {"[8589934592,8589934592]", "[2147483648,2147483648]",
                              "[0,8589934592,8589934592]", "[281474976710655,281474976710655]"}) {
      write_bytes(
          path, file_of("", Overflow, "{" + entry("w", shape, "[0,8]", dtype) + "}", kData).bytes);
      const Index requests = memory_counts().system_requests;
      const std::string error = file_error_of([&] { SafetensorsFile::open(path); });
      EXPECT_TRUE(error.starts_with("Overflow at ")) << dtype << shape << ": " << error;
      EXPECT_EQ(memory_counts().system_requests, requests) << shape;
    }
  }
}

TEST(SafetensorsChecks, SentencesSayWhatIsWrongAndWhatIsRight) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.safetensors");
  write_bytes(path, file_of("", SizeMismatch, "{" + entry("w", "[7,3]", "[0,20]") + "}").bytes);
  EXPECT_EQ(file_error_of([&] { SafetensorsFile::open(path); }),
            "SizeMismatch at 56: SafetensorsFile: " + path +
                " (byte 56): the entry of \"w\" spans 20 bytes; U8 [7, 3] takes 21");
}

}  // namespace
}  // namespace vitro
