// Scaled dot-product attention, spelled out and in one pass, and rotary positions.
#include "tensor/attention.h"

#include <cmath>
#include <limits>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/positions.h"

#include "autograd/ops.h"

namespace vitro {
namespace {

constexpr Scalar kMinusInfinity = -std::numeric_limits<Scalar>::infinity();

// [queries, keys]: 1 where a key lies in the query's future. Both sequences end at the same time,
// so that queries may be the last of the keys' positions, as with a cache.
Tensor future_keys(Index queries, Index keys) {
  return Tensor::filled({queries, keys}, [=](Scalar* out) {
    for (Index query = 0; query < queries; ++query) {
      for (Index key = 0; key < keys; ++key) {
        *out++ = key > query + keys - queries ? Scalar(1) : Scalar(0);
      }
    }
  });
}

}  // namespace

Variable mask_scores(const Operand& scores, const AttentionMask& mask) {
  const Shape& shape = scores.shape();
  if (shape.rank() < 2) {
    throw ShapeError({"mask_scores: scores are ", shape, "; they must be [.., queries, keys]"});
  }
  check_attention_mask(shape, mask, "mask_scores");
  Variable allowed = scores.variable();
  if (mask.has_bias()) allowed = allowed + Variable(mask.bias);
  if (mask.has_mask()) {
    allowed = masked_fill(allowed, equal(mask.mask, zeros({})), kMinusInfinity);
  }
  if (mask.causal) {
    allowed = masked_fill(allowed, future_keys(scores.size(-2), scores.size(-1)), kMinusInfinity);
  }
  return allowed;
}

Variable attention_weights(const Operand& q, const Operand& k, const AttentionMask& mask) {
  check_attention(q.shape(), k.shape(), k.shape(), "attention_weights");
  const Scalar sqrt_d_k = std::sqrt(static_cast<Scalar>(q.size(-1)));
  const Variable scores = matmul(q, transpose(k, -2, -1)) / sqrt_d_k;  // [.., queries, keys]
  return softmax(mask_scores(scores, mask), -1);
}

Variable scaled_dot_product_attention(const Operand& q, const Operand& k, const Operand& v,
                                      const AttentionMask& mask) {
  const Attention parts = attention_parts(q.value(), k.value(), v.value(), mask);
  return record("scaled_dot_product_attention", parts.y, {q, k, v},
                [q_value = q.value(), k_value = k.value(), v_value = v.value(), mask,
                 rules = parts.rules](const Tensor& grad) -> Gradients {
                  AttentionGradients gradients =
                      attention_backward(q_value, k_value, v_value, mask, rules, grad);
                  return {gradients.q, gradients.k, gradients.v};
                });
}

Variable packed_attention(const Operand& qkv, Index head_count, const AttentionMask& mask) {
  const Attention parts = packed_attention_parts(qkv.value(), head_count, mask);
  return record("packed_attention", parts.y, {qkv},
                [value = qkv.value(), head_count, mask,
                 rules = parts.rules](const Tensor& grad) -> Gradients {
                  return {packed_attention_backward(value, head_count, mask, rules, grad)};
                },
                {{"heads", head_count}});
}

Variable rotary(const Operand& x, Scalar base, Index start) {
  const Tensor y = rotary(x.value(), base, start);
  return record("rotary", y, {x},
                [base, start](const Tensor& grad) -> Gradients {
                  return {rotary(grad, base, start, Turn::kBack)};
                },
                {{"base", static_cast<double>(base)}, {"start", start}});
}

}  // namespace vitro
