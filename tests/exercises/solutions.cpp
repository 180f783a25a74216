// The exercises, solved by the library: the default tests prove that these pass.
#include <cmath>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/normalize.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

#include "autograd/ops.h"

#include "nn/init.h"
#include "nn/layers/multi_head_attention.h"
#include "nn/optim/adam.h"
#include "nn/text/sampling.h"

#include "examples/exercises/exercises.h"

namespace vitro::exercises {
namespace {

class LibraryMultiHead : public nn::Layer {
 public:
  LibraryMultiHead(Index channels, Index head_count, Rng& rng)
      : w_q_(add_weight("w_q", channels, rng)),
        w_k_(add_weight("w_k", channels, rng)),
        w_v_(add_weight("w_v", channels, rng)),
        w_o_(add_weight("w_o", channels, rng)),
        head_count_(head_count) {}

  Variable forward(const Variable& x) override {
    const Variable q = nn::split_heads(matmul(x, w_q_), head_count_);
    const Variable k = nn::split_heads(matmul(x, w_k_), head_count_);
    const Variable v = nn::split_heads(matmul(x, w_v_), head_count_);
    return matmul(nn::merge_heads(scaled_dot_product_attention(q, k, v)), w_o_);
  }

 private:
  Variable add_weight(const std::string& name, Index channels, Rng& rng) {
    return add_parameter(name, nn::uniform_by_inputs(channels, channels, rng, "LibraryMultiHead"));
  }

  const Variable w_q_;
  const Variable w_k_;
  const Variable w_v_;
  const Variable w_o_;
  const Index head_count_;
};

}  // namespace

Tensor unbroadcast(const Tensor& grad, const Shape& shape) { return sum_to(grad, shape); }

Variable softplus(const Operand& x) {
  return maximum(x, Scalar(0)) + log(Scalar(1) + exp(-abs(x)));
}

Tensor softmax_rows(const Tensor& x) { return softmax(x, -1); }

Tensor softmax_rows_backward(const Tensor& y, const Tensor& grad) {
  return softmax_backward(y, grad, -1);
}

Variable attention(const Variable& q, const Variable& k, const Variable& v) {
  return scaled_dot_product_attention(q, k, v);
}

Variable causal(const Variable& scores) { return mask_scores(scores, {.causal = true}); }

std::unique_ptr<nn::Layer> make_multi_head_attention(Index channels, Index head_count, Rng& rng) {
  return std::make_unique<LibraryMultiHead>(channels, head_count, rng);
}

Tensor layer_norm_rows_backward(const Tensor& x, const Tensor& grad, Scalar epsilon) {
  const Tensor gain = ones({x.size(-1)});
  const Tensor bias = zeros({x.size(-1)});
  return layer_norm_backward(x, gain, layer_norm_parts(x, gain, bias, epsilon), grad).x;
}

// The formulas alone; the graded test compares several steps with nn::Adam.
void adam_step(const Tensor& grad, Index step, Scalar learning_rate, Scalar beta1, Scalar beta2,
               Scalar epsilon, Tensor& m, Tensor& v, Tensor& value) {
  m = m * beta1 + grad * (1 - beta1);
  v = v * beta2 + grad * grad * (1 - beta2);
  const Tensor first = m / (1 - std::pow(beta1, static_cast<Scalar>(step)));
  const Tensor second = v / (1 - std::pow(beta2, static_cast<Scalar>(step)));
  value = value - first * learning_rate / (sqrt(second) + epsilon);
}

Index sample_top_k(const Tensor& logits, Index k, Rng& rng) {
  return nn::sample(logits, {.top_k = k}, rng);
}

Tensor CachedAttention::next(const Tensor& q, const Tensor& k, const Tensor& v) {
  keys_.push_back(k);
  values_.push_back(v);
  return scaled_dot_product_attention(Variable(q), Variable(cat(keys_, 0)),
                                      Variable(cat(values_, 0)))
      .value();
}

}  // namespace vitro::exercises
