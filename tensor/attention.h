// Scaled dot-product attention in one pass, with memory that grows with time and not with time².
// All throw ShapeError where shapes do not fit.
#pragma once

#include "tensor/tensor.h"

namespace vitro {

/// Who may look at whom. `mask` (1: may look) and `bias` stretch to [.., queries, keys]; a tensor
/// of shape [0] stands for none.
struct AttentionMask {
  bool causal = false;  ///< query i sees keys up to i + keys - queries: both end at the same time
  Tensor mask = {};
  Tensor bias = {};  ///< added to the scaled scores, such as alibi_bias

  bool has_mask() const { return mask.shape() != Shape{0}; }

  bool has_bias() const { return bias.shape() != Shape{0}; }
};

/// The result, and what backward needs to find the weights again.
struct Attention {
  Tensor y;
  Tensor rules;  ///< [outer.., queries, 2]: each row's shift and factor, see kernels/attention.h
};

struct AttentionGradients {
  Tensor q;
  Tensor k;
  Tensor v;
};

/// softmax(q·kᵀ/√d_k, masked)·v for q [.., queries, d_k], k [.., keys, d_k], v [.., keys, d_v] →
/// [.., queries, d_v]. The axes before the last two stretch to each other. Views are read where
/// they lie. A query that may look at nothing gives zeros, and zero gradients.
Attention attention_parts(const Tensor& q, const Tensor& k, const Tensor& v,
                          const AttentionMask& mask);
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const AttentionMask& mask = {});

/// The gradients of q, k and v, each of its own shape.
AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                      const AttentionMask& mask, const Tensor& rules,
                                      const Tensor& grad);

/// The same for all heads of a layer at once: qkv [.., time, 3·channels] holds Q, K and V side by
/// side, head i the i-th slice of each → [.., time, channels], the heads side by side.
Attention packed_attention_parts(const Tensor& qkv, Index head_count, const AttentionMask& mask);
Tensor packed_attention(const Tensor& qkv, Index head_count, const AttentionMask& mask = {});

/// The gradient of qkv.
Tensor packed_attention_backward(const Tensor& qkv, Index head_count, const AttentionMask& mask,
                                 const Tensor& rules, const Tensor& grad);

/// Throws ShapeError, opened by `function`, unless q, k and v, or scores and mask, fit together.
void check_attention(const Shape& q, const Shape& k, const Shape& v, const char* function);
void check_attention_mask(const Shape& scores, const AttentionMask& mask, const char* function);

}  // namespace vitro
