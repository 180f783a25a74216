// What write_safetensors writes, byte for byte, and that all of it is read back.
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tensor/create.h"
#include "tensor/files/json.h"
#include "tensor/files/npy.h"
#include "tensor/files/safetensors.h"
#include "tensor/views.h"

#include "tests/support/files.h"
#include "tests/support/german.h"

namespace vitro {
namespace {

using testing_support::little_endian;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;

// The bits, so that NaN equals itself and -0 is not 0.
std::string bits_of(const Tensor& x) {
  const Tensor ordered = contiguous(x);
  const auto size = static_cast<std::size_t>(x.element_count()) * sizeof(Scalar);
  return size == 0 ? "" : std::string(reinterpret_cast<const char*>(ordered.data()), size);
}

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();

// Shapes of 1,000 and more: where a locale would set its points.
std::string bytes_of_files(const TemporaryFolder& folder) {
  const std::string path = folder.file("w");
  write_safetensors(path, {{"w", full({1234, 2}, Scalar(0.001))}}, {{"rate", "0.001"}});
  const std::string safetensors = read_bytes(path);
  write_npy(path, full({1234, 2}, Scalar(0.001)));
  return safetensors + read_bytes(path);
}

TEST(SafetensorsWriter, BL84_FilesAreTheSameUnderADecimalComma) {
  const TemporaryFolder folder;
  const std::string expected = bytes_of_files(folder);
  EXPECT_NE(expected.find("[1234,2]"), std::string::npos);
  EXPECT_NE(expected.find("(1234, 2)"), std::string::npos);
  const test::GermanLocale german;
  EXPECT_TRUE(bytes_of_files(folder) == expected);
  EXPECT_EQ(read_npy(folder.file("w")).shape(), Shape({1234, 2}));
  const JsonValue json = JsonValue::parse("{\"rate\": 0.001, \"steps\": 1234567}");
  EXPECT_EQ(json["rate"].number(), 0.001);
  EXPECT_EQ(json["steps"].integer(), 1234567);
}

TEST(SafetensorsWriter, WritesExactlyTheseBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  write_safetensors(path,
                    {{"w\n\"", Tensor({1, 2}, {1, -2})},
                     {"a", Tensor({}, {Scalar(0.5)})},
                     {"z", Indices({2}, {-1, 3})}},
                    {{"format", "pt"}, {"\x01", "\\"}}, Dtype::F32);
  const std::string header =
      "{\"__metadata__\":{\"\\u0001\":\"\\\\\",\"format\":\"pt\"},"
      "\"z\":{\"dtype\":\"I64\",\"shape\":[2],\"data_offsets\":[0,16]},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[16,20]},"
      "\"w\\n\\\"\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[20,28]}}";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  const std::string data = little_endian(~0ULL, 8) + little_endian(3, 8) +
                           little_endian(0x3F000000, 4) + little_endian(0x3F800000, 4) +
                           little_endian(0xC0000000, 4);
  EXPECT_EQ(read_bytes(path),
            little_endian(header.size() + padding.size(), 8) + header + padding + data);
}

TEST(SafetensorsWriter, OrderOfTheListDoesNotMatter) {
  const TemporaryFolder folder;
  const NamedValues a{"a", ones({3})};
  const NamedValues b{"b", zeros({2})};
  const NamedValues c{"c", Indices({1}, {7})};
  write_safetensors(folder.file("1"), {a, b, c});
  write_safetensors(folder.file("2"), {c, b, a});
  EXPECT_EQ(read_bytes(folder.file("1")), read_bytes(folder.file("2")));
}

TEST(SafetensorsWriter, RoundTripKeepsEveryBit) {
  const TemporaryFolder folder;
  Rng rng(7);
  Tensor special({7},
                 {0, Scalar(-0.0), kInfinity, -kInfinity, std::numeric_limits<Scalar>::denorm_min(),
                  std::numeric_limits<Scalar>::max(), std::numeric_limits<Scalar>::quiet_NaN()});
  const Tensor matrix = normal({5, 3}, 0, 1, rng);
  const std::vector<NamedValues> values = {
      {"special", special}, {"matrix", matrix},       {"transposed", transpose(matrix, 0, 1)},
      {"scalar", ones({})}, {"empty", zeros({3, 0})}, {"ids", Indices({2, 1}, {1, -9})}};
  const std::string path = folder.file("all.safetensors");
  write_safetensors(path, values, {{"é", "ü"}});
  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_EQ(file.entries().size(), values.size());
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"é", "ü"}}));
  for (const NamedValues& value : values) {
    if (const auto* x = std::get_if<Tensor>(&value.values)) {
      EXPECT_EQ(file.tensor(value.name).shape(), x->shape()) << value.name;
      EXPECT_EQ(bits_of(file.tensor(value.name)), bits_of(*x)) << value.name;
    } else {
      EXPECT_EQ(file.indices(value.name), std::get<Indices>(value.values));
    }
  }
}

TEST(SafetensorsWriter, RefusesWhatNoReaderWouldTake) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  const Tensor x = ones({2});
  EXPECT_THROW(write_safetensors(path, {{"w", x}, {"w", x}}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path, {{"__metadata__", x}}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path, {{"\xFF", x}}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path, {{"w", x}}, {{"\xFF", ""}}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path, {{"w", x}}, {{"", "\xFF"}}), std::invalid_argument);
  EXPECT_THROW(write_safetensors(path, {{"w", x}}, {}, Dtype::F16), std::invalid_argument);
  EXPECT_EQ(folder.entry_count(), 0);
}

}  // namespace
}  // namespace vitro
