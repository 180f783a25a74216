#include "tensor/normalize.h"

#include <utility>

#include "tensor/create.h"
#include "tensor/kernels/normalize.h"
#include "tensor/kernels/reduce.h"
#include "tensor/parallel.h"

namespace vitro {
namespace {

constexpr Index kGrain = 8192;  // elements

void check_normalize(const Tensor& x, const Tensor& per_column, const char* what, Scalar epsilon,
                     const char* function) {
  if (x.rank() < 1 || per_column.shape() != Shape{x.size(-1)}) {
    throw ShapeError({function, ": x is ", x.shape(), ", ", what, " is ", per_column.shape(), "; ",
                      what, " must be [last size of x]"});
  }
  if (!(epsilon >= 0)) {
    throw_invalid({function, ": epsilon is ", epsilon, "; it must be 0 or more"});
  }
}

Index row_count(const Tensor& x) { return x.shape().without_axis(-1).element_count(); }

void check_parts(const Tensor& per_row, const Tensor& x, const char* function) {
  if (per_row.shape() == Shape{row_count(x)}) return;
  throw ShapeError({function, ": the parts hold ", per_row.shape(), " rows, x is ", x.shape(),
                    "; they must come from the same x"});
}

void check_normalize_backward(const Tensor& x, const Tensor& gain, const Normalized& parts,
                              const Tensor& grad, const char* function) {
  check_normalize(x, gain, "gain", 0, function);
  check_grad_shape(grad.shape(), x.shape(), function);
  check_parts(parts.inverse_scale, x, function);
}

// Runs chunk(index, rows) for 16 fixed chunks of the rows, on the threads. Each has [columns] sums
// of its own, so that these do not depend on the threads: see combined.
template <typename Chunk>
void for_row_chunks(Index rows, Index columns, const Chunk& chunk) {
  const Index chunk_elements = rows * columns / kernels::kRowChunkCount;
  parallel_for(0, kernels::kRowChunkCount, grain_for(kGrain, chunk_elements),
               [&](Index begin, Index end) {
                 for (Index i = begin; i < end; ++i) chunk(i, kernels::row_chunk(rows, i));
               });
}

// [chunks, columns] → [columns].
Tensor combined(Tensor partial_sums) {
  const Index columns = partial_sums.size(1);
  Scalar* partial = partial_sums.mutable_data();
  return Tensor::filled({columns},
                        [=](Scalar* sum) { kernels::combine_row_chunks(partial, sum, columns); });
}

}  // namespace

Normalized layer_norm_parts(const Tensor& x, const Tensor& gain, const Tensor& bias,
                            Scalar epsilon) {
  check_normalize(x, gain, "gain", epsilon, "layer_norm");
  check_normalize(x, bias, "bias", epsilon, "layer_norm");
  const Tensor source = contiguous(x);
  const Tensor gains = contiguous(gain);
  const Tensor biases = contiguous(bias);
  const Scalar* const in = source.data();
  const Index rows = row_count(x);
  const Index columns = x.size(-1);
  Normalized parts{Tensor(), zeros({rows}), zeros({rows})};
  Scalar* mean = parts.mean.mutable_data();
  Scalar* inverse = parts.inverse_scale.mutable_data();
  parts.y = Tensor::filled(x.shape(), [&](Scalar* y) {
    parallel_for(0, rows, grain_for(kGrain, columns), [&](Index begin, Index end) {
      kernels::layer_norm_rows(in + begin * columns, gains.data(), biases.data(), epsilon,
                               y + begin * columns, mean + begin, inverse + begin, end - begin,
                               columns);
    });
  });
  return parts;
}

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, Scalar epsilon) {
  return layer_norm_parts(x, gain, bias, epsilon).y;
}

NormalizeGradients layer_norm_backward(const Tensor& x, const Tensor& gain, const Normalized& parts,
                                       const Tensor& grad) {
  check_normalize_backward(x, gain, parts, grad, "layer_norm_backward");
  check_parts(parts.mean, x, "layer_norm_backward");
  const Tensor source = contiguous(x);
  const Tensor gains = contiguous(gain);
  const Tensor upstream = contiguous(grad);
  const Scalar* const in = source.data();
  const Scalar* const gains_data = gains.data();
  const Scalar* const mean = parts.mean.data();
  const Scalar* const inverse = parts.inverse_scale.data();
  const Scalar* const up = upstream.data();
  const Index rows = row_count(x);
  const Index columns = x.size(-1);
  Tensor gain_sums = zeros({kernels::kRowChunkCount, columns});
  Tensor bias_sums = zeros({kernels::kRowChunkCount, columns});
  Scalar* gain_partial = gain_sums.mutable_data();
  Scalar* bias_partial = bias_sums.mutable_data();
  const Tensor grad_x = Tensor::filled(x.shape(), [&](Scalar* out) {
    for_row_chunks(rows, columns, [&](Index chunk, kernels::RowRange range) {
      const Index offset = range.begin * columns;
      kernels::layer_norm_rows_backward(
          in + offset, gains_data, mean + range.begin, inverse + range.begin, up + offset,
          out + offset, gain_partial + chunk * columns, bias_partial + chunk * columns,
          range.end - range.begin, columns);
    });
  });
  return {grad_x, combined(std::move(gain_sums)), combined(std::move(bias_sums))};
}

Normalized rms_norm_parts(const Tensor& x, const Tensor& gain, Scalar epsilon) {
  check_normalize(x, gain, "gain", epsilon, "rms_norm");
  const Tensor source = contiguous(x);
  const Tensor gains = contiguous(gain);
  const Scalar* const in = source.data();
  const Index rows = row_count(x);
  const Index columns = x.size(-1);
  Normalized parts{Tensor(), Tensor(), zeros({rows})};
  Scalar* inverse = parts.inverse_scale.mutable_data();
  parts.y = Tensor::filled(x.shape(), [&](Scalar* y) {
    parallel_for(0, rows, grain_for(kGrain, columns), [&](Index begin, Index end) {
      kernels::rms_norm_rows(in + begin * columns, gains.data(), epsilon, y + begin * columns,
                             inverse + begin, end - begin, columns);
    });
  });
  return parts;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, Scalar epsilon) {
  return rms_norm_parts(x, gain, epsilon).y;
}

NormalizeGradients rms_norm_backward(const Tensor& x, const Tensor& gain, const Normalized& parts,
                                     const Tensor& grad) {
  check_normalize_backward(x, gain, parts, grad, "rms_norm_backward");
  const Tensor source = contiguous(x);
  const Tensor gains = contiguous(gain);
  const Tensor upstream = contiguous(grad);
  const Scalar* const in = source.data();
  const Scalar* const gains_data = gains.data();
  const Scalar* const inverse = parts.inverse_scale.data();
  const Scalar* const up = upstream.data();
  const Index rows = row_count(x);
  const Index columns = x.size(-1);
  Tensor gain_sums = zeros({kernels::kRowChunkCount, columns});
  Scalar* gain_partial = gain_sums.mutable_data();
  const Tensor grad_x = Tensor::filled(x.shape(), [&](Scalar* out) {
    for_row_chunks(rows, columns, [&](Index chunk, kernels::RowRange range) {
      const Index offset = range.begin * columns;
      kernels::rms_norm_rows_backward(in + offset, gains_data, inverse + range.begin, up + offset,
                                      out + offset, gain_partial + chunk * columns,
                                      range.end - range.begin, columns);
    });
  });
  return {grad_x, combined(std::move(gain_sums)), Tensor()};
}

}  // namespace vitro
