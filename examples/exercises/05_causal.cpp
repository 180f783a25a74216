// Exercise 5 (chapter 7): the causal mask.
//
// Hint: make a tensor [time, time] that is 1 where the key lies in the query's future, and use
// masked_fill. causal_mask in tensor/create.h is 1 where a query may look: the other way round, and
// tensor/arithmetic.h can subtract it from 1.
#include <limits>

#include "tensor/arithmetic.h"
#include "tensor/create.h"

#include "autograd/ops.h"

#include "examples/exercises/exercises.h"

namespace vitro::exercises {

Variable causal(const Variable& scores) {
  (void)scores;
  not_written_yet(5);
}

}  // namespace vitro::exercises
