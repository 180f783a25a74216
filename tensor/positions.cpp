#include "tensor/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/math.h"

namespace vitro {
namespace {

constexpr Index kLargestAngle = Index{1} << 50;  // what math::sin and math::cos take

// The angle by which pair i of `size` numbers grows from one position to the next.
double frequency(Index pair, Index size, double base) {
  return math::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(size));
}

void check_angles(const Tensor& x, double base, Index start) {
  if (start < 0) throw_invalid({"rotary: start is ", start, "; it must be 0 or more"});
  if (x.element_count() == 0) return;
  const double last = static_cast<double>(start) + static_cast<double>(x.size(-2) - 1);
  const Index last_pair = x.size(-1) / 2 - 1;
  const double fastest = std::max(1.0, frequency(last_pair, x.size(-1), base));
  const double angle = last * fastest;
  if (angle <= static_cast<double>(kLargestAngle)) return;
  throw_invalid({"rotary: start ", start, " and base ", base, " turn x ", x.shape(),
                 " by angles up to ", angle, "; they must be at most 2^50"});
}

}  // namespace

Tensor sinusoidal_positions(Index length, Index width) {
  check_size(length, "sinusoidal_positions", "length");
  check_size(width, "sinusoidal_positions", "width");
  return Tensor::filled({length, width}, [=](Scalar* out) {
    for (Index position = 0; position < length; ++position) {
      for (Index i = 0; i < width; ++i) {
        const double angle = static_cast<double>(position) * frequency(i / 2, width, 10000);
        *out++ = static_cast<Scalar>(i % 2 == 0 ? math::sin(angle) : math::cos(angle));
      }
    }
  });
}

Tensor alibi_bias(Index head_count, Index length) {
  check_size(length, "alibi_bias", "length");
  return alibi_bias(head_count, length, length);
}

Tensor alibi_bias(Index head_count, Index queries, Index keys) {
  check_size(head_count, "alibi_bias", "head_count");
  return Tensor::filled({head_count, queries, keys}, [=](Scalar* out) {
    for (Index head = 0; head < head_count; ++head) {
      const double exponent =
          -8.0 * static_cast<double>(head + 1) / static_cast<double>(head_count);
      const double slope = math::pow(2.0, exponent);
      for (Index query = 0; query < queries; ++query) {
        const Index position = query + keys - queries;  // among the keys
        for (Index key = 0; key < keys; ++key) {
          const Index distance = std::max<Index>(position - key, 0);
          *out++ = static_cast<Scalar>(-slope * static_cast<double>(distance));
        }
      }
    }
  });
}

Tensor rotary(const Tensor& x, Scalar base, Index start, Turn turn) {
  if (x.rank() < 2 || x.size(-1) % 2 != 0) {
    throw ShapeError({"rotary: x is ", x.shape(),
                      "; it must be [.., time, size] with an even size, whose pairs turn"});
  }
  if (!(base > 0) || !std::isfinite(base)) {
    throw_invalid({"rotary: base is ", base, "; it must be a finite number above 0"});
  }
  check_angles(x, static_cast<double>(base), start);
  const Index time = x.size(-2);
  const Index pair_count = x.size(-1) / 2;
  const double sign = turn == Turn::kForward ? 1 : -1;
  std::vector<Scalar> cosines;  // [time, pair_count]
  std::vector<Scalar> sines;
  for (Index position = 0; position < time; ++position) {
    for (Index pair = 0; pair < pair_count; ++pair) {
      const double angle = static_cast<double>(start + position) *
                           frequency(pair, x.size(-1), static_cast<double>(base));
      cosines.push_back(static_cast<Scalar>(math::cos(angle)));
      sines.push_back(static_cast<Scalar>(sign * math::sin(angle)));
    }
  }
  const Tensor source = contiguous(x);
  return Tensor::filled(x.shape(), [&](Scalar* out) {
    const Scalar* in = source.data();
    const Index pairs_per_table = time * pair_count;
    for (Index i = 0; i < x.element_count() / 2; ++i) {
      const auto entry = static_cast<std::size_t>(i % pairs_per_table);
      out[2 * i] = in[2 * i] * cosines[entry] - in[2 * i + 1] * sines[entry];
      out[2 * i + 1] = in[2 * i] * sines[entry] + in[2 * i + 1] * cosines[entry];
    }
  });
}

}  // namespace vitro
