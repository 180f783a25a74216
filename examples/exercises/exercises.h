// The exercises of the book. Each stands in a file of its own beside this one, as a stub that
// throws; write its body there. What each has to do stands here.
//
//     cmake --preset exercises && cmake --build --preset exercises
//     ctest --preset exercises        (or build/exercises/tests/exercises/exercises)
#pragma once

#include <memory>
#include <vector>

#include "tensor/indices.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

#include "autograd/record.h"

#include "nn/module.h"

namespace vitro::exercises {

/// Throws std::logic_error: "exercise 3: not written yet".
[[noreturn]] void not_written_yet(int exercise);

// ---- Exercise 1, chapter 3 ----------------------------------------------------------------------

/// The gradient of broadcasting: `grad`, of the shape to which an input of shape `shape` was
/// stretched, summed over what was stretched. The result has shape `shape`.
Tensor unbroadcast(const Tensor& grad, const Shape& shape);

// ---- Exercise 2, chapter 3 ----------------------------------------------------------------------

/// An operation of your own: softplus(x) = log(1 + e^x), elementwise, with its history. It must not
/// overflow: softplus(1000) is 1000.
Variable softplus(const Operand& x);

// ---- Exercise 3, chapter 5 ----------------------------------------------------------------------

/// softmax of each row of x [rows, columns], and the gradient of x from the result y and the
/// gradient of y.
Tensor softmax_rows(const Tensor& x);
Tensor softmax_rows_backward(const Tensor& y, const Tensor& grad);

// ---- Exercise 4, chapter 6 ----------------------------------------------------------------------

/// softmax(q kᵀ / √d_k) v: q [.., queries, d_k], k [.., keys, d_k], v [.., keys, d_v] →
/// [.., queries, d_v].
Variable attention(const Variable& q, const Variable& k, const Variable& v);

// ---- Exercise 5, chapter 7 ----------------------------------------------------------------------

/// scores [.., time, time] with -inf where a query would look at a later key. A query may look at
/// its own place.
Variable causal(const Variable& scores);

// ---- Exercise 6, chapter 8: multi-head attention ------------------------------------------------

/// A layer x [.., time, channels] → [.., time, channels]: concat(head_1 … head_h) W_O without
/// masks, dropout or biases. Its parameters are called w_q, w_k, w_v and w_o, each
/// [channels, channels]; head i owns the i-th slice of the columns of the first three.
std::unique_ptr<nn::Layer> make_multi_head_attention(Index channels, Index head_count, Rng& rng);

// ---- Exercise 7, chapter 9 ----------------------------------------------------------------------

/// The gradient of x for y = (x - mean)/√(var + epsilon), over each row of x [rows, columns].
Tensor layer_norm_rows_backward(const Tensor& x, const Tensor& grad, Scalar epsilon);

// ---- Exercise 8, chapter 9 ----------------------------------------------------------------------

/// One step of Adam for one parameter: `m`, `v` and `value` have the gradient's shape and are
/// changed; `step` is 1 the first time.
void adam_step(const Tensor& grad, Index step, Scalar learning_rate, Scalar beta1, Scalar beta2,
               Scalar epsilon, Tensor& m, Tensor& v, Tensor& value);

// ---- Exercise 9, chapter 10 ---------------------------------------------------------------------

/// A token drawn from softmax(logits) restricted to its k most likely tokens: logits [vocab],
/// 1 <= k <= vocab, and of equal logits the lower id counts as likelier.
Index sample_top_k(const Tensor& logits, Index k, Rng& rng);

// ---- Exercise 10, chapter 12 --------------------------------------------------------------------

/// Causal attention of one head, one token after the other: each call gets the new token's query
/// and key [1, d_k] and value [1, d_v], remembers key and value, and returns what the token sees,
/// [1, d_v].
class CachedAttention {
 public:
  Tensor next(const Tensor& q, const Tensor& k, const Tensor& v);

 private:
  std::vector<Tensor> keys_;    // one [1, d_k] a token so far
  std::vector<Tensor> values_;  // one [1, d_v] a token so far
};

}  // namespace vitro::exercises
