#include "tensor/kernels/layer_norm.h"

#include <cmath>

#include "tensor/kernels/lane_sum.h"

namespace vitro::kernels {

namespace {

/// How one row was normalized: x̂ = (x - mean) · scale.
struct RowStatistics {
  Scalar mean;
  Scalar scale;
};

/// y = x̂ · gain + bias for one row.
void write_row(const Scalar* __restrict x, const Scalar* __restrict gain,
               const Scalar* __restrict bias, RowStatistics row, Scalar* __restrict y,
               Index columns) {
  if (gain != nullptr && bias != nullptr) {
    for (Index j = 0; j < columns; ++j) y[j] = (x[j] - row.mean) * row.scale * gain[j] + bias[j];
    return;
  }
  for (Index j = 0; j < columns; ++j) y[j] = (x[j] - row.mean) * row.scale;
  if (gain != nullptr) {
    for (Index j = 0; j < columns; ++j) y[j] *= gain[j];
  }
  if (bias != nullptr) {
    for (Index j = 0; j < columns; ++j) y[j] += bias[j];
  }
}

/// grad_x = scale (g - mean_g - x̂ mean_gx) for one row; `g(j)` is grad · gain.
template <class GainedGrad>
void write_grad_row(const Scalar* __restrict x, RowStatistics row, Scalar mean_g, Scalar mean_gx,
                    Scalar* __restrict grad_x, Index columns, GainedGrad g) {
  for (Index j = 0; j < columns; ++j) {
    const Scalar normalized = (x[j] - row.mean) * row.scale;
    grad_x[j] = row.scale * (g(j) - mean_g - normalized * mean_gx);
  }
}

enum class Centered { kYes, kNo };

/// grad_x of one row. Where rows are not centered (RMS), the mean of g plays no part.
void input_grad_row(const Scalar* x, const Scalar* gain, const Scalar* grad, RowStatistics row,
                    Centered centered, Scalar* grad_x, Index columns) {
  const Scalar count = static_cast<Scalar>(columns);
  const auto sums = [&](auto g) {
    const Scalar sum_g = centered == Centered::kYes ? lane_sum(columns, g) : 0;
    const Scalar sum_gx = lane_sum(
        columns, [=](auto at) { return g(at) * ((at(x) - at.all(row.mean)) * at.all(row.scale)); });
    return RowStatistics{sum_g / count, sum_gx / count};
  };
  if (gain != nullptr) {
    const auto [mean_g, mean_gx] = sums([=](auto at) { return at(grad) * at(gain); });
    write_grad_row(x, row, mean_g, mean_gx, grad_x, columns,
                   [=](Index j) { return grad[j] * gain[j]; });
  } else {
    const auto [mean_g, mean_gx] = sums([=](auto at) { return at(grad); });
    write_grad_row(x, row, mean_g, mean_gx, grad_x, columns, [=](Index j) { return grad[j]; });
  }
}

/// grad_gain += grad · x̂ of one row.
void add_gain_grad(const Scalar* __restrict x, const Scalar* __restrict grad, RowStatistics row,
                   Scalar* __restrict grad_gain, Index columns) {
  for (Index j = 0; j < columns; ++j) {
    grad_gain[j] += grad[j] * ((x[j] - row.mean) * row.scale);
  }
}

void add_row(const Scalar* __restrict row, Scalar* __restrict sum, Index columns) {
  for (Index j = 0; j < columns; ++j) sum[j] += row[j];
}

void clear(Scalar* sums, Index columns) {
  if (sums == nullptr) return;
  for (Index j = 0; j < columns; ++j) sums[j] = 0;
}

}  // namespace

void layer_norm_rows(const Scalar* x, const Scalar* gain, const Scalar* bias, Scalar epsilon,
                     Scalar* y, Scalar* mean, Scalar* inverse_stddev, Index rows, Index columns) {
  const Scalar count = static_cast<Scalar>(columns);
  for (Index i = 0; i < rows; ++i, x += columns, y += columns) {
    const Scalar center = lane_sum(columns, [=](auto at) { return at(x); }) / count;
    const Scalar variance = lane_sum(columns,
                                     [=](auto at) {
                                       const auto difference = at(x) - at.all(center);
                                       return difference * difference;
                                     }) /
                            count;
    mean[i] = center;
    inverse_stddev[i] = 1 / std::sqrt(variance + epsilon);
    write_row(x, gain, bias, {mean[i], inverse_stddev[i]}, y, columns);
  }
}

void layer_norm_rows_backward(const Scalar* x, const Scalar* gain, const Scalar* mean,
                              const Scalar* inverse_stddev, const Scalar* grad, Scalar* grad_x,
                              Scalar* grad_gain, Scalar* grad_bias, Index rows, Index columns) {
  clear(grad_gain, columns);
  clear(grad_bias, columns);
  for (Index i = 0; i < rows; ++i, x += columns, grad += columns, grad_x += columns) {
    const RowStatistics row{mean[i], inverse_stddev[i]};
    input_grad_row(x, gain, grad, row, Centered::kYes, grad_x, columns);
    if (grad_gain != nullptr) add_gain_grad(x, grad, row, grad_gain, columns);
    if (grad_bias != nullptr) add_row(grad, grad_bias, columns);
  }
}

void rms_norm_rows(const Scalar* x, const Scalar* gain, Scalar epsilon, Scalar* y,
                   Scalar* inverse_rms, Index rows, Index columns) {
  const Scalar count = static_cast<Scalar>(columns);
  for (Index i = 0; i < rows; ++i, x += columns, y += columns) {
    const Scalar mean_square = lane_sum(columns, [=](auto at) { return at(x) * at(x); }) / count;
    inverse_rms[i] = 1 / std::sqrt(mean_square + epsilon);
    write_row(x, gain, nullptr, {0, inverse_rms[i]}, y, columns);
  }
}

void rms_norm_rows_backward(const Scalar* x, const Scalar* gain, const Scalar* inverse_rms,
                            const Scalar* grad, Scalar* grad_x, Scalar* grad_gain, Index rows,
                            Index columns) {
  clear(grad_gain, columns);
  for (Index i = 0; i < rows; ++i, x += columns, grad += columns, grad_x += columns) {
    const RowStatistics row{0, inverse_rms[i]};
    input_grad_row(x, gain, grad, row, Centered::kNo, grad_x, columns);
    if (grad_gain != nullptr) add_gain_grad(x, grad, row, grad_gain, columns);
  }
}

}  // namespace vitro::kernels
