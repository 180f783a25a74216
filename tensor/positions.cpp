#include "tensor/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/math.h"
#include "tensor/views.h"

namespace vitro {
namespace {

// Every position from here to 2^53 is a double, so its angle is its own.
constexpr Index kLastStart = Index{1} << 52;

// The angle by which pair i of `size` numbers grows from one position to the next.
double frequency(Index pair, Index size, double base) {
  return math::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(size));
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

Tensor alibi_bias(Index heads, Index length) {
  check_size(heads, "alibi_bias", "heads");
  check_size(length, "alibi_bias", "length");
  return Tensor::filled({heads, length, length}, [=](Scalar* out) {
    for (Index head = 0; head < heads; ++head) {
      const double exponent = -8.0 * static_cast<double>(head + 1) / static_cast<double>(heads);
      const double slope = math::pow(2.0, exponent);
      for (Index query = 0; query < length; ++query) {
        for (Index key = 0; key < length; ++key) {
          const Index distance = std::max<Index>(query - key, 0);
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
  if (start < 0 || start > kLastStart) {
    throw_invalid({"rotary: start is ", start, "; it must be from 0 to ", kLastStart});
  }
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
