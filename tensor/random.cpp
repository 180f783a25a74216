#include "tensor/random.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "tensor/error.h"
#include "tensor/math.h"
#include "tensor/pictures/glyphs.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

constexpr double kTwoPi = 6.283185307179586476925;

}  // namespace

// SplitMix64: spreads any seed, also 0, 1, 2, …, over all 256 bits of the state.
Rng::Rng(std::uint64_t seed) {
  for (std::uint64_t& word : words_) {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(words_[0] + words_[3], 23) + words_[0];
  const std::uint64_t shifted = words_[1] << 17;
  words_[2] ^= words_[0];
  words_[3] ^= words_[1];
  words_[1] ^= words_[2];
  words_[0] ^= words_[3];
  words_[2] ^= shifted;
  words_[3] = std::rotl(words_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

// In float, low + u * (high - low) can round up to high itself: then the draw is repeated.
Scalar Rng::uniform(Scalar low, Scalar high) {
  check_range(low, high, "Rng::uniform");
  const double width = static_cast<double>(high) - static_cast<double>(low);
  while (true) {
    const Scalar draw = static_cast<Scalar>(static_cast<double>(low) + uniform() * width);
    if (draw < high || low == high) return draw;
  }
}

void Rng::check_range(Scalar low, Scalar high, const char* function) {
  const bool finite = std::isfinite(static_cast<double>(high) - static_cast<double>(low));
  if (!(low <= high) || !finite) {
    throw_invalid({function, ": low is ", low, ", high is ", high,
                   "; low must not be above high, and the distance must be finite"});
  }
}

// One draw from each pair of uniforms: the state then is all there is to save.
double Rng::normal() {
  const double u = 1 - uniform();  // (0, 1]: its logarithm is finite
  const double v = uniform();
  return std::sqrt(-2 * math::log(u)) * math::cos(kTwoPi * v);
}

// Draws above the largest multiple of count are repeated: a plain remainder would favour small
// numbers.
Index Rng::below(Index count) {
  if (count < 1) throw_invalid({"Rng::below: count is ", count, "; it must be 1 or more"});
  const auto range = static_cast<std::uint64_t>(count);
  const std::uint64_t rejected_below = (0 - range) % range;  // 2^64 mod count
  while (true) {
    const std::uint64_t draw = next();
    if (draw >= rejected_below) return static_cast<Index>(draw % range);
  }
}

// Fisher–Yates.
std::vector<Index> Rng::permutation(Index count) {
  if (count < 0) throw_invalid({"Rng::permutation: count is ", count, "; it must be 0 or more"});
  std::vector<Index> order(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index i = count - 1; i > 0; --i) {
    const Index j = below(i + 1);
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
  }
  return order;
}

std::string Rng::state() const {
  std::string text;
  for (const std::uint64_t word : words_) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), word, 16).ptr;
    if (!text.empty()) text += ' ';
    text.append(digits.data(), end);
  }
  return text;
}

void Rng::set_state(const std::string& state) {
  std::array<std::uint64_t, 4> words{};
  const char* place = state.data();
  const char* const end = place + state.size();
  bool valid = true;
  for (std::size_t i = 0; i < words.size() && valid; ++i) {
    if (i > 0) valid = place != end && *place++ == ' ';
    const auto [stop, error] = std::from_chars(place, end, words[i], 16);
    valid = valid && error == std::errc{};
    place = stop;
  }
  if (!valid || place != end || (words[0] | words[1] | words[2] | words[3]) == 0) {
    throw_invalid({"Rng::set_state: '", visible_text(state, 80),
                   "' is no state; it must be four hexadecimal words, not all 0"});
  }
  words_ = words;
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
