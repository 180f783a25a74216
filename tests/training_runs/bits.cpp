#include "tests/training_runs/bits.h"

#include <bit>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <type_traits>

namespace vitro::training_runs {
namespace {

class BitsHash {
 public:
  void add(const Tensor& tensor) {
    using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
    for (const Scalar value : tensor.to_vector()) {
      const auto bits = std::bit_cast<Bits>(value);
      for (std::size_t byte = 0; byte < sizeof(bits); ++byte) {
        hash_ = (hash_ ^ ((bits >> (8 * byte)) & 0xffU)) * 1099511628211U;
      }
    }
  }

  std::string text() const {
    std::ostringstream text;
    text << std::hex << std::setw(16) << std::setfill('0') << hash_;
    return text.str();
  }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace

std::string bits_hash(const Tensor& tensor) {
  BitsHash hash;
  hash.add(tensor);
  return hash.text();
}

std::string bits_hash(const nn::Module& model) {
  BitsHash hash;
  for (const Variable& parameter : model.parameters()) hash.add(parameter.value());
  return hash.text();
}

}  // namespace vitro::training_runs
