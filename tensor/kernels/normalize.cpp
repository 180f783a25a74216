#include "tensor/kernels/normalize.h"

#include <algorithm>
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
  for (Index j = 0; j < columns; ++j) y[j] = (x[j] - row.mean) * row.scale * gain[j] + bias[j];
}

/// y = x · scale · gain for one row.
void write_scaled_row(const Scalar* __restrict x, const Scalar* __restrict gain, Scalar scale,
                      Scalar* __restrict y, Index columns) {
  for (Index j = 0; j < columns; ++j) y[j] = x[j] * scale * gain[j];
}

/// grad_x = scale (g - mean_g - x̂ mean_gx) for one row, with g = grad · gain.
void write_grad_row(const Scalar* __restrict x, const Scalar* __restrict gain,
                    const Scalar* __restrict grad, RowStatistics row, Scalar mean_g, Scalar mean_gx,
                    Scalar* __restrict grad_x, Index columns) {
  for (Index j = 0; j < columns; ++j) {
    const Scalar normalized = (x[j] - row.mean) * row.scale;
    grad_x[j] = row.scale * (grad[j] * gain[j] - mean_g - normalized * mean_gx);
  }
}

enum class Centered { kYes, kNo };

/// grad_x of one row. Where rows are not centered (RMS), the mean of g plays no part.
void input_grad_row(const Scalar* x, const Scalar* gain, const Scalar* grad, RowStatistics row,
                    Centered centered, Scalar* grad_x, Index columns) {
  const Scalar count = static_cast<Scalar>(columns);
  const auto g = [=](auto at) { return at(grad) * at(gain); };
  const auto gx = [=](auto at) { return g(at) * ((at(x) - at.all(row.mean)) * at.all(row.scale)); };
  const Scalar mean_g = centered == Centered::kYes ? lane_sum(columns, g) / count : 0;
  const Scalar mean_gx = lane_sum(columns, gx) / count;
  write_grad_row(x, gain, grad, row, mean_g, mean_gx, grad_x, columns);
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
  std::fill_n(grad_gain, columns, Scalar(0));
  std::fill_n(grad_bias, columns, Scalar(0));
  for (Index i = 0; i < rows; ++i, x += columns, grad += columns, grad_x += columns) {
    const RowStatistics row{mean[i], inverse_stddev[i]};
    input_grad_row(x, gain, grad, row, Centered::kYes, grad_x, columns);
    add_gain_grad(x, grad, row, grad_gain, columns);
    add_row(grad, grad_bias, columns);
  }
}

void rms_norm_rows(const Scalar* x, const Scalar* gain, Scalar epsilon, Scalar* y,
                   Scalar* inverse_rms, Index rows, Index columns) {
  const Scalar count = static_cast<Scalar>(columns);
  for (Index i = 0; i < rows; ++i, x += columns, y += columns) {
    const Scalar mean_square = lane_sum(columns, [=](auto at) { return at(x) * at(x); }) / count;
    inverse_rms[i] = 1 / std::sqrt(mean_square + epsilon);
    write_scaled_row(x, gain, inverse_rms[i], y, columns);
  }
}

void rms_norm_rows_backward(const Scalar* x, const Scalar* gain, const Scalar* inverse_rms,
                            const Scalar* grad, Scalar* grad_x, Scalar* grad_gain, Index rows,
                            Index columns) {
  std::fill_n(grad_gain, columns, Scalar(0));
  for (Index i = 0; i < rows; ++i, x += columns, grad += columns, grad_x += columns) {
    const RowStatistics row{0, inverse_rms[i]};
    input_grad_row(x, gain, grad, row, Centered::kNo, grad_x, columns);
    add_gain_grad(x, grad, row, grad_gain, columns);
  }
}

}  // namespace vitro::kernels
