#include "autograd/explorer/pool.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "tensor/error.h"

namespace vitro::explorer {
namespace {

std::string little_endian_floats(const Tensor& x) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(x.element_count()) * 4);
  for (const Scalar number : x.to_vector()) {
    const auto narrow = static_cast<float>(number);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xffu);
  }
  return bytes;
}

// Bytes of a page for so many floats.
Index base64_size(Index float_count) { return float_count * 4 / 3 * 4; }

}  // namespace

void check_page_size(Index bytes) {
  if (bytes <= kMaxPageBytes) return;
  throw std::length_error(
      error_text({"Trace: the page would have ", bytes / (1024 * 1024),
                  " MB, and browsers stop at about ", kMaxPageBytes / (1024 * 1024),
                  "; record fewer steps, one sequence, a shorter one, or a smaller model"}));
}

Index Pool::add(const Tensor& x) {
  check_page_size(base64_size(x.element_count()));
  const std::string bytes = little_endian_floats(x);
  const std::size_t hash = std::hash<std::string>()(bytes);
  const auto [begin, end] = places_.equal_range(hash);
  for (auto place = begin; place != end; ++place) {
    const auto [start, count] = place->second;
    if (std::string_view(bytes_).substr(static_cast<std::size_t>(start * 4),
                                        static_cast<std::size_t>(count * 4)) == bytes) {
      return start;
    }
  }
  check_page_size(base64_size(float_count() + x.element_count()));
  const Index start = float_count();
  places_.emplace(hash, std::pair(start, x.element_count()));
  bytes_ += bytes;
  return start;
}

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_padding = i + k > bytes.size();
      text += is_padding ? '=' : kLetters[group >> (18 - 6 * k) & 63u];
    }
  }
  return text;
}

}  // namespace vitro::explorer
