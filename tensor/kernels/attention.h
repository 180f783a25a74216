// Scaled dot-product attention of one head, forward and backward, on the calling thread.
//
// Queries are taken in blocks of 32, each against all keys that it may see: a block's scores are
// computed, turned into weights and used at once, so memory grows with the number of keys and not
// with its square, and what lies above the diagonal of a causal mask is never computed. Backward
// computes the weights again from two numbers a query.
//
// A row's result depends on that query and on the keys alone: not on the block it was computed in,
// nor on keys behind its own (whose weight is exactly 0). So tokens that come one by one, with a
// cache, get the same bits as all at once.
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/scalar.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {

/// y = softmax(q kᵀ · scale + bias, masked) v. Any strides; a null `data` of bias or mask: none.
struct AttentionHead {
  Index queries;
  Index keys;
  Index d_k;
  Index d_v;
  MatrixView q;     // [queries, d_k]
  MatrixView k;     // [keys, d_k]; with a row stride of 1 it is used as it lies
  MatrixView v;     // [keys, d_v]
  MatrixView bias;  // [queries, keys]
  MatrixView mask;  // [queries, keys]; 0 where a query must not look
  bool causal;      // query i sees the keys up to i + keys - queries
};

/// Rows to write, each contiguous.
struct MatrixRows {
  Scalar* data;
  Index row_stride;
};

/// Writes y [queries, d_v], and `rules` [queries, 2] for the way back: how a query's scores s
/// became weights, exp(s - rules[0]) · rules[1]; 0 and 0 where it sees no key.
void attention_head(const AttentionHead& head, MatrixRows y, Scalar* rules);

/// With P the weights and G = grad [queries, d_v]: dP = G vᵀ, dS = P (dP - Σ P dP),
/// grad_q = dS k · scale, grad_k = dSᵀ q · scale, grad_v = Pᵀ G.
void attention_head_backward(const AttentionHead& head, const Scalar* rules, MatrixView grad,
                             MatrixRows grad_q, MatrixRows grad_k, MatrixRows grad_v);

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
