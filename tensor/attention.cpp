#include "tensor/attention.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tensor/kernels/attention.h"
#include "tensor/parallel.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace vitro {
namespace {

using kernels::AttentionHead;
using kernels::MatrixRows;
using kernels::MatrixView;

constexpr Index kGrain = 400'000;  // multiplications worth a thread of their own

Shape outer_shape(const Shape& shape) { return shape.without_axis(-1).without_axis(-1); }

// Whether the axes before the last two stretch to each other.
bool outer_axes_stretch(const Shape& a, const Shape& b) {
  for (Index axis = -3; axis >= -std::min(a.rank(), b.rank()); --axis) {
    if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) return false;
  }
  return true;
}

Shape with_matrix(const Shape& outer, Index rows, Index columns) {
  return outer.with_axis_inserted(outer.rank(), rows).with_axis_inserted(outer.rank() + 1, columns);
}

// Where matrix number `i` of [outer.., rows, columns] starts.
Index matrix_offset(const Shape& outer, const Strides& strides, Index i) {
  Index offset = 0;
  for (Index axis = outer.rank() - 1; axis >= 0; --axis) {
    offset += i % outer[axis] * strides[static_cast<std::size_t>(axis)];
    i /= outer[axis];
  }
  return offset;
}

// A tensor to read, [outer.., rows, columns].
MatrixView matrix_of(const Tensor& x, const Shape& outer, Index i) {
  const auto rows_axis = static_cast<std::size_t>(outer.rank());
  return {x.strided_data() + matrix_offset(outer, x.strides(), i), x.strides()[rows_axis],
          x.strides()[rows_axis + 1]};
}

// Memory to write, [outer.., rows, columns] with contiguous rows.
struct Output {
  Scalar* data;
  Strides strides;

  MatrixRows operator()(const Shape& outer, Index i) const {
    return {data + matrix_offset(outer, strides, i),
            strides[static_cast<std::size_t>(outer.rank())]};
  }
};

// All heads' inputs, stretched to the same outer axes: [outer.., time, size].
struct Inputs {
  Inputs(const Tensor& q_given, const Tensor& k_given, const Tensor& v_given,
         const AttentionMask& given, const char* function)
      : q(q_given), k(k_given), v(v_given), causal(given.causal) {
    check_attention(q.shape(), k.shape(), v.shape(), function);
    const Shape qk = broadcast_shapes(outer_shape(q.shape()), outer_shape(k.shape()), function);
    outer = broadcast_shapes(qk, outer_shape(v.shape()), function);
    for (Tensor* x : {&q, &k, &v})
      *x = broadcast_to(*x, with_matrix(outer, x->size(-2), x->size(-1)));
    const Shape scores = with_matrix(outer, q.size(-2), k.size(-2));
    check_attention_mask(scores, given, function);
    if (given.has_mask()) mask = broadcast_to(given.mask, scores);
    if (given.has_bias()) bias = broadcast_to(given.bias, scores);
    has_mask = given.has_mask();
    has_bias = given.has_bias();
  }

  Shape rules_shape() const { return with_matrix(outer, q.size(-2), 2); }

  AttentionHead head(Index i) const {
    const MatrixView none{nullptr, 0, 0};
    return {q.size(-2),
            k.size(-2),
            q.size(-1),
            v.size(-1),
            matrix_of(q, outer, i),
            matrix_of(k, outer, i),
            matrix_of(v, outer, i),
            has_bias ? matrix_of(bias, outer, i) : none,
            has_mask ? matrix_of(mask, outer, i) : none,
            causal};
  }

  // Runs body(i) for every head, on the threads.
  template <class Body>
  void for_each_head(const Body& body) const {
    const Index work = q.size(-2) * k.size(-2) * (q.size(-1) + v.size(-1));
    parallel_for(0, outer.element_count(), grain_for(kGrain, work), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) body(i);
    });
  }

  Tensor q, k, v, mask, bias;
  bool has_mask = false;
  bool has_bias = false;
  bool causal;
  Shape outer;
};

// Writes y; returns the rules.
Tensor attend(const Inputs& in, const Output& y) {
  return Tensor::filled(in.rules_shape(), [&](Scalar* rules) {
    in.for_each_head([&](Index i) {
      attention_head(in.head(i), y(in.outer, i), rules + i * 2 * in.q.size(-2));
    });
  });
}

struct Outputs {
  Output q;
  Output k;
  Output v;
};

void check_rules(const Tensor& rules, const Inputs& in, const char* function) {
  if (rules.shape() == in.rules_shape()) return;
  throw ShapeError({function, ": rules are ", rules.shape(), "; for these inputs they must be ",
                    in.rules_shape(), ", as attention_parts or packed_attention_parts made them"});
}

void attend_backward(const Inputs& in, const Tensor& rules, const Tensor& grad,
                     const Outputs& grads) {
  const Scalar* const known = rules.data();
  in.for_each_head([&](Index i) {
    attention_head_backward(in.head(i), known + i * 2 * in.q.size(-2), matrix_of(grad, in.outer, i),
                            grads.q(in.outer, i), grads.k(in.outer, i), grads.v(in.outer, i));
  });
}

// Tensor::filled for memory that is written later, through a pointer: null for an empty shape.
Tensor allocated(const Shape& shape, Scalar*& data) {
  return Tensor::filled(shape, [&data](Scalar* out) { data = out; });
}

// ---- All heads side by side ---------------------------------------------------------------------

void check_packed(const Tensor& qkv, Index head_count, const char* function) {
  if (qkv.rank() < 2 || head_count < 1 || head_count > qkv.size(-1) ||
      qkv.size(-1) % (3 * head_count) != 0) {
    throw ShapeError({function, ": qkv is ", qkv.shape(), " for ", head_count,
                      " heads; it must be [.., time, 3·channels], and the heads must divide the "
                      "channels"});
  }
}

// x [.., time, parts·channels] → [.., heads, time, head_size] of part number `part`: a view.
Tensor heads_of(const Tensor& x, Index head_count, Index part, Index part_count) {
  const Index channels = x.size(-1) / part_count;
  std::vector<Index> sizes = x.shape().sizes();
  sizes.back() = channels / head_count;
  sizes.insert(sizes.end() - 1, head_count);
  return transpose(reshape(narrow(x, -1, part * channels, channels), sizes), -3, -2);
}

Inputs packed_inputs(const Tensor& qkv, Index head_count, const AttentionMask& mask,
                     const char* function) {
  check_packed(qkv, head_count, function);
  return {heads_of(qkv, head_count, 0, 3), heads_of(qkv, head_count, 1, 3),
          heads_of(qkv, head_count, 2, 3), mask, function};
}

// Where the heads of one part lie in contiguous memory [.., time, parts·channels].
Output packed_output(Scalar* data, const Inputs& in, Index part, Index part_count) {
  const Index time = in.q.size(-2);
  const Index head_size = in.q.size(-1);
  const Index heads = in.outer[-1];
  const Index channels = heads * head_size;
  Output out{data + part * channels, {}};
  const auto rank = static_cast<std::size_t>(in.outer.rank());
  out.strides[rank] = part_count * channels;  // time
  out.strides[rank - 1] = head_size;          // heads
  Index matrix = time * part_count * channels;
  for (Index axis = in.outer.rank() - 2; axis >= 0; --axis) {
    out.strides[static_cast<std::size_t>(axis)] = matrix;
    matrix *= in.outer[axis];
  }
  return out;
}

}  // namespace

void check_attention_mask(const Shape& scores, const AttentionMask& mask, const char* function) {
  const auto check_stretches = [&](const Tensor& part, const char* name) {
    if (broadcasts_to(part.shape(), scores)) return;
    throw ShapeError({function, ": a ", name, " of shape ", part.shape(), " for scores ", scores,
                      "; it must stretch to [.., queries, keys]"});
  };
  if (mask.has_mask()) check_stretches(mask.mask, "mask");
  if (mask.has_bias()) check_stretches(mask.bias, "bias");
}

void check_attention(const Shape& q, const Shape& k, const Shape& v, const char* function) {
  if (q.rank() < 2 || k.rank() < 2 || q[-1] != k[-1]) {
    throw ShapeError({function, ": q is ", q, ", k is ", k,
                      "; they must be [.., queries, d_k] and [.., keys, d_k]"});
  }
  if (v.rank() < 2 || v[-2] != k[-2]) {
    throw ShapeError({function, ": k is ", k, ", v is ", v,
                      "; there must be one value for each key: [.., keys, d_v]"});
  }
  const auto check_outer = [function](const char* a_name, const Shape& a, const char* b_name,
                                      const Shape& b) {
    if (outer_axes_stretch(a, b)) return;
    throw ShapeError({function, ": ", a_name, " is ", a, ", ", b_name, " is ", b,
                      "; axes before the last two must be equal or one of them 1"});
  };
  check_outer("q", q, "k", k);
  check_outer("q", q, "v", v);
  check_outer("k", k, "v", v);
}

Attention attention_parts(const Tensor& q, const Tensor& k, const Tensor& v,
                          const AttentionMask& mask) {
  const Inputs in(q, k, v, mask, "scaled_dot_product_attention");
  const Shape shape = with_matrix(in.outer, q.size(-2), v.size(-1));
  Output out{nullptr, row_major_strides(shape)};
  Tensor y = allocated(shape, out.data);
  Tensor rules = attend(in, out);  // also for values of no numbers: backward reads them
  return {std::move(y), std::move(rules)};
}

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const AttentionMask& mask) {
  return attention_parts(q, k, v, mask).y;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                      const AttentionMask& mask, const Tensor& rules,
                                      const Tensor& grad) {
  const char* const function = "attention_backward";
  const Inputs in(q, k, v, mask, function);
  check_grad_shape(grad.shape(), with_matrix(in.outer, q.size(-2), v.size(-1)), function);
  check_rules(rules, in, function);
  Outputs out{};
  const auto gradient_of = [](const Tensor& x, Output& output) {
    output.strides = row_major_strides(x.shape());
    return allocated(x.shape(), output.data);
  };
  const AttentionGradients wide{gradient_of(in.q, out.q), gradient_of(in.k, out.k),
                                gradient_of(in.v, out.v)};
  attend_backward(in, rules, grad, out);
  return {sum_to(wide.q, q.shape()), sum_to(wide.k, k.shape()), sum_to(wide.v, v.shape())};
}

Attention packed_attention_parts(const Tensor& qkv, Index head_count, const AttentionMask& mask) {
  const Inputs in = packed_inputs(qkv, head_count, mask, "packed_attention");
  Scalar* out = nullptr;
  Tensor y = allocated(qkv.shape().with_size(-1, qkv.size(-1) / 3), out);
  Tensor rules = attend(in, packed_output(out, in, 0, 1));
  return {std::move(y), std::move(rules)};
}

Tensor packed_attention(const Tensor& qkv, Index head_count, const AttentionMask& mask) {
  return packed_attention_parts(qkv, head_count, mask).y;
}

Tensor packed_attention_backward(const Tensor& qkv, Index head_count, const AttentionMask& mask,
                                 const Tensor& rules, const Tensor& grad) {
  const char* const function = "packed_attention_backward";
  const Inputs in = packed_inputs(qkv, head_count, mask, function);
  check_grad_shape(grad.shape(), qkv.shape().with_size(-1, qkv.size(-1) / 3), function);
  check_rules(rules, in, function);
  return Tensor::filled(qkv.shape(), [&](Scalar* out) {
    attend_backward(
        in, rules, heads_of(grad, head_count, 0, 1),
        {packed_output(out, in, 0, 3), packed_output(out, in, 1, 3), packed_output(out, in, 2, 3)});
  });
}

}  // namespace vitro
