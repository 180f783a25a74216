#include "tensor/kernels/arithmetic.h"

#include "tensor/math.h"

namespace vitro::kernels {
namespace {

// out = f(a, b) over one row. Three common step patterns get loops of their own: with constant
// steps the compiler turns them into vector instructions. The last loop takes any steps.
template <typename Function>
void zip_row(const Scalar* __restrict a, Index a_step, const Scalar* __restrict b, Index b_step,
             Scalar* __restrict out, Index out_step, Index count, Function f) {
  if (a_step == 1 && b_step == 1 && out_step == 1) {
    for (Index i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
  } else if (a_step == 1 && b_step == 0 && out_step == 1) {
    const Scalar constant = *b;
    for (Index i = 0; i < count; ++i) out[i] = f(a[i], constant);
  } else if (a_step == 0 && b_step == 1 && out_step == 1) {
    const Scalar constant = *a;
    for (Index i = 0; i < count; ++i) out[i] = f(constant, b[i]);
  } else {
    for (Index i = 0; i < count; ++i) out[i * out_step] = f(a[i * a_step], b[i * b_step]);
  }
}

// out = f(out, a, b) over one row.
template <typename Function>
void update_row(const Scalar* __restrict a, Index a_step, const Scalar* __restrict b, Index b_step,
                Scalar* __restrict out, Index out_step, Index count, Function f) {
  if (a_step == 1 && b_step == 1 && out_step == 1) {
    for (Index i = 0; i < count; ++i) out[i] = f(out[i], a[i], b[i]);
  } else if (a_step == 1 && b_step == 0 && out_step == 1) {
    const Scalar constant = *b;
    for (Index i = 0; i < count; ++i) out[i] = f(out[i], a[i], constant);
  } else {
    for (Index i = 0; i < count; ++i) {
      out[i * out_step] = f(out[i * out_step], a[i * a_step], b[i * b_step]);
    }
  }
}

}  // namespace

void add_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
             Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count, [](Scalar x, Scalar y) { return x + y; });
}

void subtract_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                  Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count, [](Scalar x, Scalar y) { return x - y; });
}

void multiply_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                  Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count, [](Scalar x, Scalar y) { return x * y; });
}

void divide_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count, [](Scalar x, Scalar y) { return x / y; });
}

// Where neither comparison holds, one of the two is NaN, and so is their sum.
void maximum_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                 Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count,
          [](Scalar x, Scalar y) { return x > y ? x : (x <= y ? y : x + y); });
}

void minimum_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                 Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count,
          [](Scalar x, Scalar y) { return x < y ? x : (x >= y ? y : x + y); });
}

void greater_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                 Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count,
          [](Scalar x, Scalar y) { return x > y ? Scalar(1) : Scalar(0); });
}

void greater_equal_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                       Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count,
          [](Scalar x, Scalar y) { return x >= y ? Scalar(1) : Scalar(0); });
}

void equal_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
               Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count,
          [](Scalar x, Scalar y) { return x == y ? Scalar(1) : Scalar(0); });
}

void power_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
               Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count,
          [](Scalar x, Scalar y) { return math::pow(x, y); });
}

void copy_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
              Index out_step, Index count) {
  zip_row(a, a_step, b, b_step, out, out_step, count, [](Scalar x, Scalar) { return x; });
}

void accumulate_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                    Index out_step, Index count) {
  update_row(a, a_step, b, b_step, out, out_step, count,
             [](Scalar sum, Scalar x, Scalar) { return sum + x; });
}

void select_row(const Scalar* a, Index a_step, const Scalar* b, Index b_step, Scalar* out,
                Index out_step, Index count) {
  update_row(a, a_step, b, b_step, out, out_step, count,
             [](Scalar old, Scalar mask, Scalar x) { return mask != Scalar(0) ? x : old; });
}

}  // namespace vitro::kernels
