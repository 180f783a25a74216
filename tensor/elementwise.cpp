#include "tensor/elementwise.h"

#include "tensor/kernels/elementwise.h"
#include "tensor/parallel.h"

namespace vitro {
namespace {

constexpr Index kGrain = 4096;  // elements: a function costs several times what an addition does

using BackwardKernel = void (*)(const Scalar* x, const Scalar* grad, Scalar* grad_x, Index count);

Tensor map_backward(const Tensor& x, const Tensor& grad, BackwardKernel kernel,
                    const char* function) {
  check_grad_shape(grad.shape(), x.shape(), function);
  const Tensor inputs = contiguous(x);
  const Tensor upstream = contiguous(grad);
  return Tensor::filled(x.shape(), [&](Scalar* out) {
    const Scalar* in = inputs.data();
    const Scalar* up = upstream.data();
    parallel_for(0, x.element_count(), kGrain, [in, up, out, kernel](Index begin, Index end) {
      kernel(in + begin, up + begin, out + begin, end - begin);
    });
  });
}

}  // namespace

Tensor map(const Tensor& x, ArrayKernel kernel) {
  const Tensor source = contiguous(x);
  return Tensor::filled(source.shape(), [&](Scalar* out) {
    const Scalar* in = source.data();
    parallel_for(0, source.element_count(), kGrain, [in, out, kernel](Index begin, Index end) {
      kernel(in + begin, out + begin, end - begin);
    });
  });
}

Tensor exp(const Tensor& x) { return map(x, kernels::exp_array); }

Tensor log(const Tensor& x) { return map(x, kernels::log_array); }

Tensor sqrt(const Tensor& x) { return map(x, kernels::sqrt_array); }

Tensor abs(const Tensor& x) { return map(x, kernels::abs_array); }

Tensor tanh(const Tensor& x) { return map(x, kernels::tanh_array); }

Tensor sigmoid(const Tensor& x) { return map(x, kernels::sigmoid_array); }

Tensor relu(const Tensor& x) { return map(x, kernels::relu_array); }

Tensor silu(const Tensor& x) { return map(x, kernels::silu_array); }

Tensor gelu(const Tensor& x, Gelu kind) {
  return map(x, kind == Gelu::kTanh ? kernels::gelu_tanh_array : kernels::gelu_erf_array);
}

Tensor silu_backward(const Tensor& x, const Tensor& grad) {
  return map_backward(x, grad, kernels::silu_array_backward, "silu_backward");
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad, Gelu kind) {
  const bool by_tanh = kind == Gelu::kTanh;
  return map_backward(
      x, grad, by_tanh ? kernels::gelu_tanh_array_backward : kernels::gelu_erf_array_backward,
      "gelu_backward");
}

}  // namespace vitro
