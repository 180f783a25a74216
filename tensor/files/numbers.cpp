#include "tensor/files/numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vitro {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the files' numbers are little-endian, and are copied as they are");

constexpr Index kBufferBytes = 16384;  // on the stack: reading asks for no memory

// The number at an address that need not be a multiple of its size.
template <typename Number>
Number load(const std::byte* address) {
  Number number;
  std::memcpy(&number, address, sizeof number);
  return number;
}

// An F16: 1 sign bit, 5 bits of exponent (bias 15), 10 of mantissa. Every value is a float's too.
float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * static_cast<float>(0x1p-24);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

float bfloat_to_float(std::uint16_t upper_half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(upper_half) << 16);
}

void convert(Dtype dtype, const std::byte* in, Index count, Scalar* out) {
  switch (dtype) {
    case Dtype::F64:
      for (Index i = 0; i < count; ++i) out[i] = static_cast<Scalar>(load<double>(in + 8 * i));
      break;
    case Dtype::F32:
      for (Index i = 0; i < count; ++i) out[i] = static_cast<Scalar>(load<float>(in + 4 * i));
      break;
    case Dtype::F16:
      for (Index i = 0; i < count; ++i)
        out[i] = static_cast<Scalar>(half_to_float(load<std::uint16_t>(in + 2 * i)));
      break;
    case Dtype::BF16:
      for (Index i = 0; i < count; ++i)
        out[i] = static_cast<Scalar>(bfloat_to_float(load<std::uint16_t>(in + 2 * i)));
      break;
    default:
      throw_invalid({"read_numbers: ", dtype_name(dtype), " as Scalar; it must be a float"});
  }
}

void convert(Dtype dtype, const std::byte* in, Index count, Index* out) {
  switch (dtype) {
    case Dtype::I64:
      for (Index i = 0; i < count; ++i) out[i] = load<std::int64_t>(in + 8 * i);
      break;
    case Dtype::I32:
      for (Index i = 0; i < count; ++i) out[i] = load<std::int32_t>(in + 4 * i);
      break;
    case Dtype::U8:
      for (Index i = 0; i < count; ++i) out[i] = load<std::uint8_t>(in + i);
      break;
    case Dtype::BOOL:
      for (Index i = 0; i < count; ++i) out[i] = load<std::uint8_t>(in + i) != 0 ? 1 : 0;
      break;
    default:
      throw_invalid({"read_numbers: ", dtype_name(dtype), " as Index; it must be whole"});
  }
}

template <typename Number>
void read_through_buffer(const InputFile& file, const NumberBlock& block, Number* out) {
  const Index size = dtype_size(block.dtype);
  const Index most = kBufferBytes / size;
  std::array<std::byte, kBufferBytes> buffer;  // NOLINT(*member-init): read() fills it
  for (Index done = 0; done < block.count;) {
    const Index count = std::min(most, block.count - done);
    file.read(block.start + done * size, buffer.data(), count * size);
    if (block.order == ByteOrder::kBig) {
      for (Index i = 0; i < count; ++i) {
        std::reverse(buffer.data() + i * size, buffer.data() + (i + 1) * size);
      }
    }
    convert(block.dtype, buffer.data(), count, out + done);
    done += count;
  }
}

template <typename Number>
void write_through_buffer(AtomicFile& file, const Scalar* numbers, Index count) {
  constexpr Index kMost = kBufferBytes / Index{sizeof(Number)};
  std::vector<Number> buffer(static_cast<std::size_t>(std::min(count, kMost)));
  for (Index done = 0; done < count;) {
    const Index part = std::min(kMost, count - done);
    std::transform(numbers + done, numbers + done + part, buffer.begin(),
                   [](Scalar x) { return static_cast<Number>(x); });
    file.write(buffer.data(), part * Index{sizeof(Number)});
    done += part;
  }
}

}  // namespace

const char* dtype_name(Dtype dtype) {
  constexpr std::array kNames = {"F64", "F32", "F16", "BF16", "I64", "I32", "U8", "BOOL"};
  return kNames[static_cast<std::size_t>(dtype)];
}

Index dtype_size(Dtype dtype) {
  constexpr std::array<Index, 8> kSizes = {8, 4, 2, 2, 8, 4, 1, 1};
  return kSizes[static_cast<std::size_t>(dtype)];
}

bool is_float(Dtype dtype) { return dtype <= Dtype::BF16; }

void read_numbers(const InputFile& file, const NumberBlock& block, Scalar* out) {
  if (block.dtype == kScalarDtype && block.order == ByteOrder::kLittle) {
    file.read(block.start, out, block.count * dtype_size(block.dtype));
  } else {
    read_through_buffer(file, block, out);
  }
}

Index first_non_finite(const InputFile& file, const NumberBlock& block) {
  constexpr Index kMost = kBufferBytes / Index{sizeof(Scalar)};
  std::vector<Scalar> buffer(static_cast<std::size_t>(std::min(block.count, kMost)));
  for (Index done = 0; done < block.count;) {
    const Index count = std::min(kMost, block.count - done);
    const Index start = block.start + done * dtype_size(block.dtype);
    read_numbers(file, {start, count, block.dtype, block.order}, buffer.data());
    const auto end = buffer.begin() + count;
    const auto found =
        std::find_if(buffer.begin(), end, [](Scalar x) { return !std::isfinite(x); });
    if (found != end) return done + (found - buffer.begin());
    done += count;
  }
  return -1;
}

void read_numbers(const InputFile& file, const NumberBlock& block, Index* out) {
  read_through_buffer(file, block, out);
}

void write_numbers(AtomicFile& file, Dtype dtype, const Scalar* numbers, Index count) {
  if (dtype == kScalarDtype) {
    file.write(numbers, count * dtype_size(dtype));
  } else if (dtype == Dtype::F32) {
    write_through_buffer<float>(file, numbers, count);
  } else if (dtype == Dtype::F64) {
    write_through_buffer<double>(file, numbers, count);
  } else {
    throw_invalid({"write_numbers: ", dtype_name(dtype), "; floats are written as F32 or F64"});
  }
}

void write_numbers(AtomicFile& file, const Index* numbers, Index count) {
  file.write(numbers, count * dtype_size(Dtype::I64));
}

}  // namespace vitro
