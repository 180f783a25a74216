// The menu: every operation that keeps history. Each stands in autograd/ops/, forward and backward
// in one function, and has its row in the gradient-check table.
//
// A Variable or a number converts to an Operand by itself. G is the gradient of the result; [..]
// stands for any axes. "Stretches" means broadcasting: matched from the last axis, sizes are equal
// or one of them 1; the gradient of a stretched input is summed back to its shape. All operations
// throw ShapeError where shapes do not fit.
#pragma once

#include <vector>

#include "tensor/attention.h"
#include "tensor/elementwise.h"
#include "tensor/indices.h"
#include "tensor/loss.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

#include "autograd/record.h"

namespace vitro {

// ---- Pairs of elements; a and b stretch to one shape ------------------- gradients of a and b

Variable operator+(const Operand& a, const Operand& b);  // G | G
Variable operator-(const Operand& a, const Operand& b);  // G | -G
Variable operator*(const Operand& a, const Operand& b);  // G·b | G·a
Variable operator/(const Operand& a, const Operand& b);  // G/b | -G·a/b²
Variable maximum(const Operand& a, const Operand& b);    // G to the larger; halves to equals
Variable minimum(const Operand& a, const Operand& b);    // G to the smaller; halves to equals
/// a where `condition` is not 0, else b. Gradient: G where chosen, else 0.
Variable where(const Tensor& condition, const Operand& a, const Operand& b);

// ---- Each element alone --------------------------------------------------- gradient of x

Variable operator-(const Operand& x);             // -G
Variable pow(const Operand& x, Scalar exponent);  // G · exponent · x^(exponent-1)
Variable exp(const Operand& x);                   // G · e^x
Variable log(const Operand& x);                   // G / x
Variable sqrt(const Operand& x);                  // G / (2√x)
Variable abs(const Operand& x);                   // G · sign(x), 0 at 0
Variable tanh(const Operand& x);                  // G · (1 - tanh²x)
Variable sigmoid(const Operand& x);               // G · y(1-y), y = 1/(1+e^-x)
Variable relu(const Operand& x);                  // 0 where x <= 0, else G
Variable silu(const Operand& x);                  // x·s(x): G · s(1 + x(1-s))
/// x·Φ(x), by erf or by GPT-2's tanh approximation. Gradient: G · d gelu(x)/dx.
Variable gelu(const Operand& x, Gelu kind = Gelu::kTanh);
/// x cut to [low, high]. Gradient: G inside (ends included), else 0. Throws std::invalid_argument
/// unless low <= high.
Variable clamp(const Operand& x, Scalar low, Scalar high);
/// x with `value` where `mask`, stretched to x, is not 0. Gradient: G elsewhere.
Variable masked_fill(const Operand& x, const Tensor& mask, Scalar value);
/// Each element 0 with probability p, else x/(1-p). Gradient: G/(1-p) where kept. Throws
/// std::invalid_argument unless 0 <= p < 1.
Variable dropout(const Operand& x, Scalar p, Rng& rng);

// ---- Over axes (empty list: all of them); see tensor/reduce.h ----------------------------------

/// Gradient: G to every summed element.
Variable sum(const Operand& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);
/// Gradient: G/N.
Variable mean(const Operand& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);
/// Mean squared distance to the mean (divided by N). Gradient: G · 2(x - mean)/N.
Variable var(const Operand& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);
/// The largest element. Gradient: G to the first of the largest, so it adds up to exactly G.
Variable max(const Operand& x, const std::vector<Index>& axes = {}, KeepAxes keep = KeepAxes::kNo);

// ---- Shapes; see tensor/views.h and tensor/join.h ------------- gradient: G, where it came from

Variable reshape(const Operand& x, const std::vector<Index>& sizes);
Variable view(const Operand& x, const std::vector<Index>& sizes);
Variable transpose(const Operand& x, Index axis_a, Index axis_b);
Variable permute(const Operand& x, const std::vector<Index>& axes);
/// Throws std::out_of_range where the axis does not have the entries.
Variable narrow(const Operand& x, Index axis, Index start, Index length);
Variable broadcast_to(const Operand& x, const Shape& shape);
Variable unsqueeze(const Operand& x, Index axis);
Variable squeeze(const Operand& x, Index axis);
/// The parts one after the other along an axis that they have; sizes elsewhere are equal.
Variable cat(const std::vector<Operand>& parts, Index axis);
/// The parts, of one shape, along a new axis before `axis`.
Variable stack(const std::vector<Operand>& parts, Index axis);
/// y[i, j] = x[ids[i, j], j] for axis 0, and so on; ids has x's rank. Repeated ids add up.
/// Throws std::out_of_range for an id that is none.
Variable gather(const Operand& x, Index axis, const Indices& ids);

// ---- Products -----------------------------------------------------------------------------------

/// a [.., m, k] · b [.., k, n] → [.., m, n]; outer axes stretch. Gradients: G·bᵀ | aᵀ·G.
Variable matmul(const Operand& a, const Operand& b);
/// x [.., in] · w [in, out] + bias [out]. Gradients: G·wᵀ | xᵀ·G | sum of G over the rows.
Variable linear(const Operand& x, const Operand& w, const Operand& bias);
/// The same + residual [.., out], whose gradient is G.
Variable linear(const Operand& x, const Operand& w, const Operand& bias, const Operand& residual);

// ---- Softmax and losses ----------------------------------------------------------------------

/// y_i = e^(x_i) / Σ e^(x_j) along `axis`; a row of only -inf gives zeros, a row with NaN or +inf
/// gives NaN. Gradient: y · (G - Σ G·y).
Variable softmax(const Operand& x, Index axis);
/// log(softmax(x)), computed without overflow. Gradient: G - softmax(x) · Σ G.
Variable log_softmax(const Operand& x, Index axis);
/// Mean over the counted targets of -log softmax(logits)[target]: logits [.., classes], targets
/// [..]. See CrossEntropyOptions. Gradient: G · (softmax - one_hot(target)) / counted, and 0 where
/// the logits are all -inf. Throws std::out_of_range for a target that is no class and not
/// ignore_index.
Variable cross_entropy(const Operand& logits, const Indices& targets,
                       const CrossEntropyOptions& options = {});
/// Mean of (a - b)²; equal shapes. Gradients: G · 2(a - b)/N | the negative.
Variable mean_squared_error(const Operand& a, const Operand& b);

// ---- Layers' parts ---------------------------------------------------------------------------

/// Rows of table [count, width] by id: ids [..] → [.., width]. Gradient: rows of G, added up by id.
/// Throws std::out_of_range for an id that is none.
Variable embedding(const Operand& table, const Indices& ids);
/// (x - mean)/√(var + epsilon) · gain + bias over the last axis; gain and bias are [last size].
/// With n = (x - mean)/√(var + epsilon), H = G·gain, the gradients are
/// (H - mean(H) - n·mean(H·n))/√(var + epsilon) | Σ G·n | Σ G.
/// Throws std::invalid_argument unless epsilon >= 0.
Variable layer_norm(const Operand& x, const Operand& gain, const Operand& bias,
                    Scalar epsilon = Scalar(1e-5));
/// x/√(mean(x²) + epsilon) · gain over the last axis. With n = x/√(mean(x²) + epsilon), H = G·gain:
/// (H - n·mean(H·n))/√(mean(x²) + epsilon) | Σ G·n.
/// Throws std::invalid_argument unless epsilon >= 0.
Variable rms_norm(const Operand& x, const Operand& gain, Scalar epsilon = Scalar(1e-5));
/// Rotary positions: x [.., time, size]; each pair (2i, 2i+1) of position p turns by the angle
/// (start + p) / base^(2i/size). Gradient: G turned back. Throws std::invalid_argument for a base
/// or a start that is none: see tensor/positions.h.
Variable rotary(const Operand& x, Scalar base = Scalar(10000), Index start = 0);

/// scores [.., queries, keys] + bias, and -inf where a query must not look, so that softmax gives
/// it a weight of exactly 0. Gradient: G where it may look.
Variable mask_scores(const Operand& scores, const AttentionMask& mask);

/// softmax(q·kᵀ/√d_k), masked: q [.., queries, d_k], k [.., keys, d_k] → [.., queries, keys].
/// Spelled out in other operations, whose gradients it has.
Variable attention_weights(const Operand& q, const Operand& k, const AttentionMask& mask = {});

/// attention_weights(q, k)·v, with v [.., keys, d_v] → [.., queries, d_v], in one pass whose memory
/// grows with time and not with time². A fully masked query gives zeros, and zero gradients. With P
/// the weights and dP = G·vᵀ, dS = P·(dP - Σ P·dP): dS·k/√d_k | dSᵀ·q/√d_k | Pᵀ·G.
Variable scaled_dot_product_attention(const Operand& q, const Operand& k, const Operand& v,
                                      const AttentionMask& mask = {});
/// The same for all heads of a layer: qkv [.., time, 3·channels] holds Q, K and V side by side,
/// head i the i-th slice of each → [.., time, channels].
Variable packed_attention(const Operand& qkv, Index head_count, const AttentionMask& mask = {});

}  // namespace vitro
