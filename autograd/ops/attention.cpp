// Scaled dot-product attention, spelled out, and rotary positions.
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

void check_queries_and_keys(const Shape& q, const Shape& k, const char* function) {
  if (q.rank() < 2 || k.rank() < 2 || q[-1] != k[-1]) {
    throw ShapeError({function, ": q is ", q, ", k is ", k,
                      "; they must be [.., queries, d_k] and [.., keys, d_k]"});
  }
}

void check_mask(const Shape& scores, const AttentionMask& mask) {
  if (scores.rank() < 2) {
    throw ShapeError({"mask_scores: scores are ", scores, "; they must be [.., queries, keys]"});
  }
  const auto check_stretches = [&scores](const Tensor& part) {
    if (broadcasts_to(part.shape(), scores)) return;
    throw ShapeError({"mask_scores: a mask or bias of shape ", part.shape(), " for scores ", scores,
                      "; it must stretch to [.., queries, keys]"});
  };
  if (mask.has_mask()) check_stretches(mask.mask);
  if (mask.has_bias()) check_stretches(mask.bias);
}

}  // namespace

Variable mask_scores(const Operand& scores, const AttentionMask& mask) {
  check_mask(scores.variable().shape(), mask);
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
  check_queries_and_keys(q.shape(), k.shape(), "attention_weights");
  const Scalar sqrt_d_k = std::sqrt(static_cast<Scalar>(q.size(-1)));
  const Variable scores = matmul(q, transpose(k, -2, -1)) / sqrt_d_k;  // [.., queries, keys]
  return softmax(mask_scores(scores, mask), -1);
}

Variable scaled_dot_product_attention(const Operand& q, const Operand& k, const Operand& v,
                                      const AttentionMask& mask) {
  check_queries_and_keys(q.shape(), k.shape(), "scaled_dot_product_attention");
  if (v.rank() < 2 || v.size(-2) != k.size(-2)) {
    throw ShapeError({"scaled_dot_product_attention: k is ", k.shape(), ", v is ", v.shape(),
                      "; there must be one value for each key: [.., keys, d_v]"});
  }
  return matmul(attention_weights(q, k, mask), v);  // [.., queries, d_v]
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
