#include "tensor/create.h"

#include <algorithm>
#include <cmath>

namespace vitro {

Tensor zeros(const Shape& shape) { return full(shape, 0); }

Tensor ones(const Shape& shape) { return full(shape, 1); }

Tensor full(const Shape& shape, Scalar value) {
  return Tensor::filled(shape,
                        [&](Scalar* out) { std::fill_n(out, shape.element_count(), value); });
}

Tensor arange(Index count) {
  if (count < 0) throw_invalid({"arange: count is ", count, "; it must be 0 or more"});
  return Tensor::filled({count}, [&](Scalar* out) {
    for (Index i = 0; i < count; ++i) out[i] = static_cast<Scalar>(i);
  });
}

Tensor identity(Index size) {
  if (size < 0) throw_invalid({"identity: size is ", size, "; it must be 0 or more"});
  return Tensor::filled({size, size}, [&](Scalar* out) {
    std::fill_n(out, size * size, Scalar(0));
    for (Index i = 0; i < size; ++i) out[i * size + i] = 1;
  });
}

Tensor uniform(const Shape& shape, Scalar low, Scalar high, Rng& rng) {
  Rng::check_range(low, high, "uniform");
  return Tensor::filled(shape, [&](Scalar* out) {
    for (Index i = 0; i < shape.element_count(); ++i) out[i] = rng.uniform(low, high);
  });
}

Tensor normal(const Shape& shape, Scalar mean, Scalar stddev, Rng& rng) {
  if (!(stddev >= 0) || !std::isfinite(stddev) || !std::isfinite(mean)) {
    throw_invalid({"normal: mean ", mean, ", standard deviation ", stddev,
                   "; both must be finite, the deviation 0 or more"});
  }
  return Tensor::filled(shape, [&](Scalar* out) {
    for (Index i = 0; i < shape.element_count(); ++i) {
      out[i] = mean + stddev * static_cast<Scalar>(rng.normal());
    }
  });
}

Tensor dropout_scale(const Shape& shape, Scalar p, Rng& rng) {
  if (!(p >= 0 && p < 1)) {
    throw_invalid({"dropout: the probability is ", p, "; it must be from 0 to below 1"});
  }
  const auto dropped = static_cast<double>(p);
  return Tensor::filled(shape, [&](Scalar* out) {
    for (Index i = 0; i < shape.element_count(); ++i) {
      out[i] = rng.uniform() < dropped ? Scalar(0) : 1 / (1 - p);
    }
  });
}

Tensor causal_mask(Index time) {
  if (time < 0) throw_invalid({"causal_mask: time is ", time, "; it must be 0 or more"});
  return Tensor::filled({time, time}, [&](Scalar* out) {
    for (Index i = 0; i < time; ++i) {
      for (Index j = 0; j < time; ++j) out[i * time + j] = j <= i ? Scalar(1) : Scalar(0);
    }
  });
}

}  // namespace vitro
