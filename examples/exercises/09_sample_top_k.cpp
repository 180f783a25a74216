// Exercise 9 (chapter 10): sampling from the k most likely tokens.
//
// Hint: sort the ids by logit (std::stable_sort keeps equal ones in order), keep k, give each the
// weight e^(logit - largest), draw rng.uniform() · total and walk along the weights until their sum
// is above the draw. What if rounding leaves the sum below it?
#include <algorithm>
#include <numeric>

#include "tensor/math.h"

#include "examples/exercises/exercises.h"

namespace vitro::exercises {

Index sample_top_k(const Tensor& logits, Index k, Rng& rng) {
  (void)logits;
  (void)k;
  (void)rng;
  not_written_yet(9);
}

}  // namespace vitro::exercises
