#include "tensor/softmax.h"

#include "tensor/kernels/softmax.h"
#include "tensor/parallel.h"
#include "tensor/views.h"

namespace vitro {
namespace {

constexpr Index kGrain = 4096;  // elements

// Runs rows(first_row, row_count) over all rows of the last axis of `shape`, on the threads.
template <typename Rows>
void for_rows(const Shape& shape, const Rows& rows) {
  const Index columns = shape[-1];
  parallel_for(0, shape.element_count() / columns, grain_for(kGrain, columns),
               [&rows](Index begin, Index end) { rows(begin, end - begin); });
}

using RowsKernel = void (*)(const Scalar* x, Scalar* y, Index rows, Index columns);
using RowsBackwardKernel = void (*)(const Scalar* y, const Scalar* grad, Scalar* grad_x, Index rows,
                                    Index columns);

// The kernel along `axis`: other axes than the last are brought there and back by views.
Tensor along_axis(const Tensor& x, Index axis, const char* function, RowsKernel kernel) {
  const Index from_front = x.shape().resolve_axis(axis, function);
  const Tensor rows = contiguous(transpose(x, from_front, -1));
  const Index columns = rows.size(-1);
  const Tensor y = Tensor::filled(rows.shape(), [&](Scalar* out) {
    const Scalar* in = rows.data();
    for_rows(rows.shape(), [=](Index first, Index count) {
      kernel(in + first * columns, out + first * columns, count, columns);
    });
  });
  return transpose(y, from_front, -1);
}

Tensor backward_along_axis(const Tensor& y, const Tensor& grad, Index axis, const char* function,
                           RowsBackwardKernel kernel) {
  const Index from_front = y.shape().resolve_axis(axis, function);
  check_grad_shape(grad.shape(), y.shape(), function);
  const Tensor y_rows = contiguous(transpose(y, from_front, -1));
  const Tensor grad_rows = contiguous(transpose(grad, from_front, -1));
  const Index columns = y_rows.size(-1);
  const Tensor grad_x = Tensor::filled(y_rows.shape(), [&](Scalar* out) {
    const Scalar* y_data = y_rows.data();
    const Scalar* grad_data = grad_rows.data();
    for_rows(y_rows.shape(), [=](Index first, Index count) {
      const Index offset = first * columns;
      kernel(y_data + offset, grad_data + offset, out + offset, count, columns);
    });
  });
  return transpose(grad_x, from_front, -1);
}

}  // namespace

Tensor softmax(const Tensor& x, Index axis) {
  return along_axis(x, axis, "softmax", kernels::softmax_rows);
}

Tensor log_softmax(const Tensor& x, Index axis) {
  return along_axis(x, axis, "log_softmax", kernels::log_softmax_rows);
}

Tensor softmax_backward(const Tensor& y, const Tensor& grad, Index axis) {
  return backward_along_axis(y, grad, axis, "softmax_backward", kernels::softmax_rows_backward);
}

Tensor log_softmax_backward(const Tensor& y, const Tensor& grad, Index axis) {
  return backward_along_axis(y, grad, axis, "log_softmax_backward",
                             kernels::log_softmax_rows_backward);
}

}  // namespace vitro
