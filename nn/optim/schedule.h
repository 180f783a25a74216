// Learning rates that change while training.
#pragma once

#include "tensor/scalar.h"

namespace vitro::nn {

/// Throws std::invalid_argument where a field is out of range.
struct WarmupCosine {
  Index warmup = 0;     ///< steps of rising, 0 or more
  Index total = 0;      ///< the step at which min_rate is reached, at least warmup
  double max_rate = 0;  ///< the peak
  double min_rate = 0;  ///< from 0 to max_rate
};

/// The rate of step 0, 1, 2, …: max_rate·(step + 1)/(warmup + 1) while step < warmup, then half a
/// cosine from max_rate down to min_rate at `total`, then min_rate.
double warmup_cosine(Index step, const WarmupCosine& schedule);

}  // namespace vitro::nn
