#include "tests/conformance/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <vector>

namespace vitro::conformance {
namespace {

constexpr bool kIsDouble = std::is_same_v<Scalar, double>;

using Bound = std::function<double(double expected)>;

// By how much |a - b| exceeds the bound, infinite for what never matches; <= 0 is a match.
double excess(double ours, double expected, const Bound& bound) {
  if (std::isnan(ours) && std::isnan(expected)) return 0;
  if (std::isinf(expected) || std::isinf(ours)) return ours == expected ? 0 : HUGE_VAL;
  const double over = std::fabs(ours - expected) - bound(expected);
  return std::isnan(over) ? HUGE_VAL : over;
}

std::optional<std::string> compare(const Tensor& ours, const SafetensorsFile& file,
                                   const std::string& name, const Bound& bound) {
  const Shape& shape = file.entry(name).shape;
  if (ours.shape() != shape) {
    return join_text({name, ": shape ", ours.shape(), ", expected ", shape});
  }
  const std::vector<Scalar> a = ours.to_vector();
  const std::vector<Scalar> b = file.tensor(name).to_vector();
  double worst = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double over = excess(static_cast<double>(a[i]), static_cast<double>(b[i]), bound);
    if (over > worst) {
      worst = over;
      place = i;
    }
  }
  if (worst <= 0) return std::nullopt;
  const auto expected = static_cast<double>(b[place]);
  return join_text({name, ": element ", place, " is ", a[place], ", expected ", b[place],
                    ", error ", std::fabs(static_cast<double>(a[place]) - expected), ", bound ",
                    bound(expected)});
}

}  // namespace

std::optional<std::string> difference(const Tensor& ours, const SafetensorsFile& file,
                                      const std::string& name) {
  double largest = 1;
  for (const Scalar value : file.tensor(name).to_vector()) {
    const double size = std::fabs(static_cast<double>(value));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return compare(ours, file, name, [largest](double expected) {
    const double size = std::fabs(expected);
    return kIsDouble ? 1e-9 + 1e-7 * size : 1e-5 * largest + 1e-4 * size;
  });
}

std::optional<std::string> relative_difference(const Tensor& ours, const SafetensorsFile& file,
                                               const std::string& name, double relative) {
  return compare(ours, file, name,
                 [relative](double expected) { return relative * std::fabs(expected); });
}

}  // namespace vitro::conformance
