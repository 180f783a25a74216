#include "tensor/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/kernels/gemm_pack.h"
#include "tensor/kernels/lane_sum.h"
#include "tensor/kernels/math_lanes.h"

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

constexpr Index kBlockRows = 32;
constexpr Scalar kMasked = -std::numeric_limits<Scalar>::infinity();

Index whole_lanes(Index count) { return (count + kSumLanes - 1) / kSumLanes * kSumLanes; }

// How many keys, from the first on, the queries before `query_end` may see.
Index keys_seen(const AttentionHead& head, Index query_end) {
  if (!head.causal) return head.keys;
  return std::clamp<Index>(query_end + head.keys - head.queries, 0, head.keys);
}

// Memory of the calling thread for one head: two blocks of scores, and the keys and values
// transposed. Rows are whole lanes wide. Kept until the thread ends.
struct Workspace {
  explicit Workspace(const AttentionHead& head) : width(whole_lanes(head.keys)) {
    thread_local std::vector<Scalar> memory;
    const Index rows = 2 * kBlockRows + head.d_k + head.d_v;
    const auto size = static_cast<std::size_t>(rows * width);
    if (memory.size() < size) memory = std::vector<Scalar>(size);
    scores = memory.data();
    grad_scores = scores + kBlockRows * width;
    keys = grad_scores + kBlockRows * width;
    values = keys + head.d_k * width;
  }

  Index width;
  Scalar* scores;       // [32, width]
  Scalar* grad_scores;  // [32, width]
  Scalar* keys;         // [d_k, width]
  Scalar* values;       // [d_v, width]
};

// xᵀ for a product from the right: rows are copied across, so that all blocks read them front to
// back; what lies across already stays where it is.
MatrixView transposed(const MatrixView& x, Index rows, Index columns, Scalar* buffer, Index width) {
  if (x.column_stride != 1 || x.row_stride == 1) return {x.data, x.column_stride, x.row_stride};
  for (Index i = 0; i < rows; i += kLaneCount)
    transpose_columns(x.data + i * x.row_stride, x.row_stride, columns,
                      std::min(kLaneCount, rows - i), buffer + i, width);
  return {buffer, width, 1};
}

MatrixView rows_from(const MatrixView& x, Index first) {
  return {x.data + first * x.row_stride, x.row_stride, x.column_stride};
}

// The queries [first, first + rows) and what they see.
struct Block {
  Index first;
  Index rows;
  Index seen;  // keys that the last of them sees
};

Block block_at(const AttentionHead& head, Index first) {
  const Index rows = std::min(kBlockRows, head.queries - first);
  return {first, rows, keys_seen(head, first + rows)};
}

// score · scale + bias, and -inf where the mask is 0.
void add_bias_and_mask(const AttentionHead& head, Scalar scale, Index query, Scalar* row,
                       Index seen) {
  for (Index j = 0; j < seen; ++j) row[j] *= scale;
  if (head.bias.data != nullptr) {
    const Scalar* bias = head.bias.data + query * head.bias.row_stride;
    for (Index j = 0; j < seen; ++j) row[j] += bias[j * head.bias.column_stride];
  }
  if (head.mask.data != nullptr) {
    const Scalar* mask = head.mask.data + query * head.mask.row_stride;
    for (Index j = 0; j < seen; ++j)
      if (mask[j * head.mask.column_stride] == 0) row[j] = kMasked;
  }
}

// row = exp(row · scale - shift) · factor
void exp_row(Scalar* row, Index width, Scalar scale, Scalar shift, Scalar factor) {
  for (Index j = 0; j < width; ++j) row[j] = exp_lane(row[j] * scale - shift) * factor;
}

Scalar score_scale(const AttentionHead& head) {
  return 1 / std::sqrt(static_cast<Scalar>(head.d_k));
}

// Makes the weights of a block's queries, [rows, seen] in `scores`. `make_weights(query, row,
// width, scale)` turns one row of scores, of which the last may be -inf, into weights.
template <class MakeWeights>
void weigh(const AttentionHead& head, const MatrixView& keys, const Block& block,
           const Workspace& space, const MakeWeights& make_weights) {
  gemm({block.rows, block.seen, head.d_k, rows_from(head.q, block.first), keys, space.scores,
        space.width});
  const bool plain = head.bias.data == nullptr && head.mask.data == nullptr;
  const Scalar scale = score_scale(head);
  for (Index i = 0; i < block.rows; ++i) {
    const Index query = block.first + i;
    const Index seen = keys_seen(head, query + 1);
    const Index width = whole_lanes(seen);
    Scalar* const row = space.scores + i * space.width;
    if (!plain) add_bias_and_mask(head, scale, query, row, seen);
    std::fill(row + seen, row + width, kMasked);
    make_weights(query, row, width, plain ? scale : Scalar(1));
    if (width < block.seen) std::fill(row + width, row + block.seen, Scalar(0));
  }
}

// Notes shift and factor in `rule`, and leaves the weights without their factor.
void find_rule(Scalar* row, Index width, Scalar scale, Scalar* rule) {
  const Scalar highest = lane_max(row, width) * scale;
  const Scalar shift = highest == kMasked ? 0 : highest;  // -inf - -inf is NaN
  exp_row(row, width, scale, shift, 1);
  const Scalar sum = lane_sum(width, [row](auto at) { return at(row); });
  rule[0] = shift;
  rule[1] = sum == 0 ? 0 : 1 / sum;
}

// One row of dP → dS · scale, in place.
void to_grad_scores_row(const Scalar* __restrict weights, Scalar* __restrict grad, Index width,
                        Scalar scale) {
  const Scalar dot = lane_sum(width, [=](auto at) { return at(weights) * at(grad); });
  for (Index j = 0; j < width; ++j) grad[j] = weights[j] * (grad[j] - dot) * scale;
}

void to_grad_scores(const AttentionHead& head, const Block& block, const Workspace& space) {
  for (Index i = 0; i < block.rows; ++i) {
    Scalar* const row = space.grad_scores + i * space.width;
    const Index width = whole_lanes(keys_seen(head, block.first + i + 1));
    if (width > block.seen) std::fill(row + block.seen, row + width, Scalar(0));
    to_grad_scores_row(space.scores + i * space.width, row, width, score_scale(head));
    if (width < block.seen) std::fill(row + width, row + block.seen, Scalar(0));
  }
}

void scale_row(Scalar* row, Index count, Scalar factor) {
  for (Index j = 0; j < count; ++j) row[j] *= factor;
}

}  // namespace

void attention_head(const AttentionHead& head, MatrixRows y, Scalar* rules) {
  const Workspace space(head);
  const MatrixView keys = transposed(head.k, head.keys, head.d_k, space.keys, space.width);
  for (Index first = 0; first < head.queries; first += kBlockRows) {
    const Block block = block_at(head, first);
    weigh(head, keys, block, space, [&](Index query, Scalar* row, Index width, Scalar scale) {
      find_rule(row, width, scale, rules + 2 * query);
    });
    Scalar* const out = y.data + first * y.row_stride;
    gemm({block.rows,
          head.d_v,
          block.seen,
          {space.scores, space.width, 1},
          head.v,
          out,
          y.row_stride});
    for (Index i = 0; i < block.rows; ++i)
      scale_row(out + i * y.row_stride, head.d_v, rules[2 * (first + i) + 1]);
  }
}

void attention_head_backward(const AttentionHead& head, const Scalar* rules, MatrixView grad,
                             MatrixRows grad_q, MatrixRows grad_k, MatrixRows grad_v) {
  const Workspace space(head);
  const MatrixView keys = transposed(head.k, head.keys, head.d_k, space.keys, space.width);
  const MatrixView values = transposed(head.v, head.keys, head.d_v, space.values, space.width);
  const MatrixView weights_t{space.scores, 1, space.width};
  const MatrixView grad_scores{space.grad_scores, space.width, 1};
  const MatrixView grad_scores_t{space.grad_scores, 1, space.width};
  // The last block sees all keys, so it is the one that starts their sums.
  GemmStart start = GemmStart::kZero;
  const Index last = head.queries == 0 ? 0 : (head.queries - 1) / kBlockRows * kBlockRows;
  for (Index first = last; first >= 0; first -= kBlockRows) {
    const Block block = block_at(head, first);
    const MatrixView g = rows_from(grad, first);
    weigh(head, keys, block, space, [&](Index query, Scalar* row, Index width, Scalar scale) {
      exp_row(row, width, scale, rules[2 * query], rules[2 * query + 1]);
    });
    gemm({block.rows, block.seen, head.d_v, g, values, space.grad_scores, space.width});
    to_grad_scores(head, block, space);
    gemm({block.seen, head.d_v, block.rows, weights_t, g, grad_v.data, grad_v.row_stride, start});
    gemm({block.seen, head.d_k, block.rows, grad_scores_t, rows_from(head.q, first), grad_k.data,
          grad_k.row_stride, start});
    gemm({block.rows, head.d_k, block.seen, grad_scores, head.k,
          grad_q.data + first * grad_q.row_stride, grad_q.row_stride});
    start = GemmStart::kC;
  }
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
