#include "tensor/strided.h"

#include <array>

#include "tensor/kernels/arithmetic.h"
#include "tensor/parallel.h"
#include "tensor/views.h"

namespace vitro {
namespace {

constexpr Index kGrain = 16384;  // elements: below this, handing work to a thread costs more

// One axis of the loop, with the step of each operand along it.
struct LoopAxis {
  Index size;
  std::array<Index, 3> steps;  // of a, b and out
};

// The loop's axes with those that lie evenly in all three operands joined into one, so that the
// innermost row is as long as possible. A contiguous operation becomes a single row.
class LoopNest {
 public:
  LoopNest(const Shape& shape, const Strides& a, const Strides& b, const Strides& out) {
    for (Index i = 0; i < shape.rank(); ++i) {
      const auto axis = static_cast<std::size_t>(i);
      if (shape[i] != 1) append({shape[i], {a[axis], b[axis], out[axis]}});
    }
    if (axis_count_ == 0) append({1, {0, 0, 0}});
    split_long_row();
  }

  const LoopAxis& row() const { return axes_[static_cast<std::size_t>(axis_count_ - 1)]; }

  // Rows of the nest; the last piece of a split row may be shorter: see length_of.
  Index row_count() const {
    Index count = 1;
    for (Index i = 0; i + 1 < axis_count_; ++i) count *= axes_[static_cast<std::size_t>(i)].size;
    return count;
  }

  Index length_of(Index row_index) const {
    const bool last_piece = row_index % piece_count_ == piece_count_ - 1;
    return last_piece ? last_piece_length_ : row().size;
  }

  std::array<Index, 3> offsets_of(Index row_index) const {
    std::array<Index, 3> offsets{};
    for (Index i = axis_count_ - 2; i >= 0; --i) {
      const LoopAxis& axis = axes_[static_cast<std::size_t>(i)];
      const Index entry = row_index % axis.size;
      row_index /= axis.size;
      for (std::size_t k = 0; k < 3; ++k) offsets[k] += entry * axis.steps[k];
    }
    return offsets;
  }

 private:
  void append(const LoopAxis& axis) {
    if (axis_count_ > 0) {
      LoopAxis& outer = axes_[static_cast<std::size_t>(axis_count_ - 1)];
      bool joins = true;
      for (std::size_t k = 0; k < 3; ++k) joins &= outer.steps[k] == axis.steps[k] * axis.size;
      if (joins) {
        outer = {outer.size * axis.size, axis.steps};
        return;
      }
    }
    axes_[static_cast<std::size_t>(axis_count_)] = axis;
    ++axis_count_;
  }

  // A row longer than the grain becomes pieces, so that threads can share it.
  void split_long_row() {
    LoopAxis& last = axes_[static_cast<std::size_t>(axis_count_ - 1)];
    last_piece_length_ = last.size;
    if (last.size <= kGrain) return;
    piece_count_ = (last.size + kGrain - 1) / kGrain;
    last_piece_length_ = last.size - (piece_count_ - 1) * kGrain;
    LoopAxis pieces{piece_count_, last.steps};
    for (Index& step : pieces.steps) step *= kGrain;
    const LoopAxis piece{kGrain, last.steps};
    last = pieces;
    axes_[static_cast<std::size_t>(axis_count_)] = piece;
    ++axis_count_;
  }

  std::array<LoopAxis, kMaxRank + 1> axes_{};
  Index axis_count_ = 0;
  Index piece_count_ = 1;
  Index last_piece_length_ = 0;
};

}  // namespace

void run_rows(const Tensor& a, const Tensor& b, Scalar* out, const Strides& out_strides,
              RowKernel kernel) {
  if (a.element_count() == 0) return;
  const LoopNest nest(a.shape(), a.strides(), b.strides(), out_strides);
  const Scalar* a_data = a.strided_data();
  const Scalar* b_data = b.strided_data();
  const LoopAxis row = nest.row();
  parallel_for(0, nest.row_count(), grain_for(kGrain, row.size), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto [a_offset, b_offset, out_offset] = nest.offsets_of(i);
      kernel(a_data + a_offset, row.steps[0], b_data + b_offset, row.steps[1], out + out_offset,
             row.steps[2], nest.length_of(i));
    }
  });
}

Tensor zip(const Tensor& a, const Tensor& b, const char* function, RowKernel kernel) {
  const Shape shape =
      a.shape() == b.shape() ? a.shape() : broadcast_shapes(a.shape(), b.shape(), function);
  const Tensor stretched_a = broadcast_to(a, shape);
  const Tensor stretched_b = broadcast_to(b, shape);
  return Tensor::filled(shape, [&](Scalar* out) {
    run_rows(stretched_a, stretched_b, out, row_major_strides(shape), kernel);
  });
}

void copy_strided(const Tensor& x, Scalar* out) {
  run_rows(x, x, out, row_major_strides(x.shape()), kernels::copy_row);
}

void copy_into(const Tensor& x, Scalar* out, const Strides& out_strides) {
  run_rows(x, x, out, out_strides, kernels::copy_row);
}

void add_into(const Tensor& x, Scalar* out, const Strides& out_strides) {
  run_rows(x, x, out, out_strides, kernels::accumulate_row);
}

}  // namespace vitro
