// Sound safetensors files: what is read from them, and what the writer writes.
#include "tensor/files/safetensors.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/create.h"
#include "tensor/views.h"

#include "tests/support/files.h"

namespace vitro {
namespace {

using testing_support::file_error_of;
using testing_support::little_endian;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

std::string file_of(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

SafetensorsFile open_bytes(const TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder.file("case.safetensors");
  write_bytes(path, bytes);
  return SafetensorsFile::open(path);
}

// A file with one tensor "w" of this type and shape.
std::string one_tensor(const std::string& dtype, const std::string& shape,
                       const std::string& data) {
  return file_of("{\"w\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
                     ",\"data_offsets\":[0," + std::to_string(data.size()) + "]}}",
                 data);
}

std::string sixteen_bit(const std::vector<std::uint64_t>& numbers) {
  std::string bytes;
  for (const std::uint64_t number : numbers) bytes += little_endian(number, 2);
  return bytes;
}

// The bits, so that NaN equals itself and -0 is not 0.
std::string bits_of(const Tensor& x) {
  const Tensor ordered = contiguous(x);
  const auto size = static_cast<std::size_t>(x.element_count()) * sizeof(Scalar);
  return size == 0 ? "" : std::string(reinterpret_cast<const char*>(ordered.data()), size);
}

constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();

TEST(Safetensors, EmptyFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(open_bytes(folder, file_of("{}", "")).entries().empty());
  const SafetensorsFile file = open_bytes(folder, file_of("{ \n\"__metadata__\":{}}   ", ""));
  EXPECT_TRUE(file.entries().empty());
  EXPECT_TRUE(file.metadata().empty());
}

TEST(Safetensors, AnyKeyOrderAndWhiteSpace) {
  const TemporaryFolder folder;
  const SafetensorsFile file = open_bytes(
      folder, file_of("{\"b\" :\t{\"data_offsets\":[4 , 6],\r\n\"shape\":[2],\"dtype\":\"U8\"},"
                      "\"__metadata__\":{\"k\":\"\\u00e9\\ud83d\\ude00\\n\"},"
                      "\"a\":{\"shape\":[],\"dtype\":\"I32\",\"data_offsets\":[0,4]}}",
                      "\xFE\xFF\xFF\xFF\x07\xFF"));
  ASSERT_EQ(file.entries().size(), 2U);
  EXPECT_EQ(file.entries()[0].name, "a");
  EXPECT_EQ(file.entries()[0].dtype, Dtype::I32);
  EXPECT_EQ(file.entries()[0].shape, Shape({}));
  EXPECT_EQ(file.indices("a"), Indices(Shape({}), {-2}));
  EXPECT_EQ(file.indices("b"), Indices({2}, {7, 255}));
  EXPECT_EQ(file.metadata().at("k"), "\xC3\xA9\xF0\x9F\x98\x80\n");
  EXPECT_TRUE(file.contains("a"));
  EXPECT_FALSE(file.contains("__metadata__"));
}

TEST(Safetensors, ZeroSizes) {
  const TemporaryFolder folder;
  const SafetensorsFile file =
      open_bytes(folder, file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[0,281474976710655],"
                                 "\"data_offsets\":[0,0]},\"b\":{\"dtype\":\"U8\",\"shape\":[2],"
                                 "\"data_offsets\":[0,2]},\"c\":{\"dtype\":\"I64\",\"shape\":[3,0],"
                                 "\"data_offsets\":[2,2]}}",
                                 "ab"));
  EXPECT_EQ(file.tensor("a").shape(), Shape({0, 281474976710655}));
  EXPECT_EQ(file.indices("b"), Indices({2}, {'a', 'b'}));
  EXPECT_EQ(file.indices("c"), Indices({3, 0}, {}));
}

TEST(Safetensors, WidensHalves) {
  const TemporaryFolder folder;
  // 1, -2, the largest, the smallest normal, the smallest subnormal, -0, infinities, NaN.
  const SafetensorsFile file =
      open_bytes(folder, one_tensor("F16", "[9]",
                                    sixteen_bit({0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x8000,
                                                 0x7C00, 0xFC00, 0x7E00})));
  const std::vector<Scalar> x = file.tensor("w").to_vector();
  EXPECT_EQ(std::vector<Scalar>(x.begin(), x.end() - 1),
            (std::vector<Scalar>{1, -2, 65504, Scalar(0x1p-14), Scalar(0x1p-24), 0, kInfinity,
                                 -kInfinity}));
  EXPECT_TRUE(std::signbit(x[5]));
  EXPECT_TRUE(std::isnan(x[8]));
}

// All 65,536 halves against the definition: (-1)^sign * 2^(exponent - 15) * 1.mantissa.
TEST(Safetensors, WidensEveryHalfExactly) {
  const TemporaryFolder folder;
  std::vector<std::uint64_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const SafetensorsFile file = open_bytes(folder, one_tensor("F16", "[65536]", sixteen_bit(all)));
  const std::vector<Scalar> x = file.tensor("w").to_vector();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int exponent = static_cast<int>(i >> 10 & 31);
    const double mantissa = static_cast<double>(i & 1023);
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(x[i]), mantissa != 0) << i;
      continue;
    }
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(static_cast<double>(x[i]), i >= 32768 ? -magnitude : magnitude) << i;
    ASSERT_EQ(std::signbit(x[i]), i >= 32768) << i;
  }
}

TEST(Safetensors, WidensBrainFloats) {
  const TemporaryFolder folder;
  const SafetensorsFile file = open_bytes(
      folder, one_tensor("BF16", "[5]", sixteen_bit({0x3F80, 0xC040, 0x0001, 0x7F80, 0xFFC0})));
  const std::vector<Scalar> x = file.tensor("w").to_vector();
  EXPECT_EQ(std::vector<Scalar>(x.begin(), x.end() - 1),
            (std::vector<Scalar>{1, -3, Scalar(0x1p-133), kInfinity}));
  EXPECT_TRUE(std::isnan(x[4]));
}

TEST(Safetensors, ReadsF32AndF64InBothBuilds) {
  const TemporaryFolder folder;
  const std::string f32 = little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(-1.5)), 4) +
                          little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(0.1)), 4);
  const std::string f64 = little_endian(std::bit_cast<std::uint64_t>(0.1), 8) +
                          little_endian(std::bit_cast<std::uint64_t>(1e300), 8);
  const Tensor x = open_bytes(folder, one_tensor("F32", "[2,1]", f32)).tensor("w");
  EXPECT_EQ(x.shape(), Shape({2, 1}));
  EXPECT_EQ(x.to_vector(),
            (std::vector<Scalar>{Scalar(-1.5), static_cast<Scalar>(static_cast<float>(0.1))}));
  const Tensor y = open_bytes(folder, one_tensor("F64", "[2]", f64)).tensor("w");
  EXPECT_EQ(y.at({0}), Scalar(0.1));
  EXPECT_EQ(y.at({1}), sizeof(Scalar) == 8 ? Scalar(1e300) : kInfinity);
}

TEST(Safetensors, ReadsWholeNumbers) {
  const TemporaryFolder folder;
  const std::string i64 = little_endian(1ULL << 63, 8) + little_endian(~0ULL >> 1, 8);
  EXPECT_EQ(open_bytes(folder, one_tensor("I64", "[2]", i64)).indices("w"),
            Indices({2}, {std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()}));
  EXPECT_EQ(open_bytes(folder, one_tensor("BOOL", "[3]", std::string("\0\1\2", 3))).indices("w"),
            Indices({3}, {0, 1, 1}));
}

// More numbers than one buffer holds.
TEST(Safetensors, ReadsLongTensorsPieceByPiece) {
  const TemporaryFolder folder;
  const Index count = 100'003;
  std::vector<Index> values;
  for (Index i = 0; i < count; ++i) values.push_back(i * i);
  const std::string path = folder.file("long.safetensors");
  const Dtype other = kScalarDtype == Dtype::F32 ? Dtype::F64 : Dtype::F32;
  write_safetensors(path, {{"i", Indices({count}, values)}, {"x", arange(count)}}, {}, other);
  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_EQ(file.entry("x").dtype, other);
  EXPECT_EQ(file.indices("i").values(), values);
  EXPECT_EQ(file.tensor("x").to_vector(), arange(count).to_vector());
}

TEST(Safetensors, ReadsStraightIntoMemoryThatIsThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  const Tensor w({2, 3}, {1, 2, 3, 4, 5, 6});
  write_safetensors(path, {{"w", w}, {"ids", Indices({2}, {1, 2})}});
  const SafetensorsFile file = SafetensorsFile::open(path);
  Tensor target = zeros({2, 3});
  const Scalar* const memory = target.data();
  const Index copies = detaching_copy_count();
  file.read_into("w", target);
  EXPECT_EQ(target.to_vector(), w.to_vector());
  EXPECT_EQ(target.data(), memory);
  EXPECT_EQ(detaching_copy_count(), copies);
  std::vector<Scalar> plain(6);
  file.read_into("w", plain.data());
  EXPECT_EQ(plain, w.to_vector());
  Tensor transposed = zeros({3, 2});
  EXPECT_EQ(file_error_of([&] { file.read_into("w", transposed); }).substr(0, 10), "WrongShape");
  EXPECT_EQ(transposed.to_vector(), std::vector<Scalar>(6));
}

// NaN and infinity are sound data of the format; whoever cannot use them asks.
TEST(Safetensors, FindsTheFirstNumberThatIsNotFinite) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  Tensor late = zeros({3, 30'000});  // more than one buffer
  late.set({2, 17}, -kInfinity);
  late.set({2, 18}, std::numeric_limits<Scalar>::quiet_NaN());
  write_safetensors(path, {{"finite", full({7}, std::numeric_limits<Scalar>::max())},
                           {"empty", zeros({0})},
                           {"nan", full({}, std::numeric_limits<Scalar>::quiet_NaN())},
                           {"late", late},
                           {"ids", Indices({1}, {1})}});
  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_EQ(file.first_non_finite("finite"), -1);
  EXPECT_EQ(file.first_non_finite("empty"), -1);
  EXPECT_EQ(file.first_non_finite("nan"), 0);
  EXPECT_EQ(file.first_non_finite("late"), 60'017);
  EXPECT_EQ(file_error_of([&] { file.first_non_finite("ids"); }).substr(0, 10), "WrongDtype");
  const SafetensorsFile half =
      open_bytes(folder, one_tensor("F16", "[3]", sixteen_bit({0x3C00, 0x7C00, 0x7E00})));
  EXPECT_EQ(half.first_non_finite("w"), 1);
}

TEST(Safetensors, SaysWhatIsNotThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  write_safetensors(path, {{"w", ones({2})}, {"ids", Indices({2}, {1, 2})}});
  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_EQ(file_error_of([&] { file.tensor("v"); }),
            "MissingTensor at -1: SafetensorsFile: " + path +
                ": holds no tensor \"v\"; it holds 2 others, such as \"ids\"");
  EXPECT_EQ(file_error_of([&] { file.tensor("ids"); }).substr(0, 10), "WrongDtype");
  EXPECT_EQ(file_error_of([&] { file.indices("w"); }).substr(0, 10), "WrongDtype");
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
  EXPECT_EQ(read_bytes(path), file_of(header + padding, data));
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
