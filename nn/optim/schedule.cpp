#include "nn/optim/schedule.h"

#include <cmath>

#include "tensor/error.h"
#include "tensor/math.h"

namespace vitro::nn {
namespace {

constexpr double kPi = 3.14159265358979323846;

void check_schedule(Index step, const WarmupCosine& schedule) {
  if (step < 0) throw_invalid({"warmup_cosine: step is ", step, "; it must be 0 or more"});
  if (schedule.warmup < 0 || schedule.total < schedule.warmup) {
    throw_invalid({"warmup_cosine: warmup is ", schedule.warmup, ", total is ", schedule.total,
                   "; they must satisfy 0 <= warmup <= total"});
  }
  if (!(schedule.min_rate >= 0 && schedule.min_rate <= schedule.max_rate) ||
      !std::isfinite(schedule.max_rate)) {
    throw_invalid({"warmup_cosine: min_rate is ", schedule.min_rate, ", max_rate is ",
                   schedule.max_rate, "; they must be finite, 0 <= min_rate <= max_rate"});
  }
}

}  // namespace

double warmup_cosine(Index step, const WarmupCosine& schedule) {
  check_schedule(step, schedule);
  if (step < schedule.warmup) {
    // Converted before 1 is added: the largest Index has no successor.
    const double count = static_cast<double>(step) + 1;
    return schedule.max_rate * count / (static_cast<double>(schedule.warmup) + 1);
  }
  if (step > schedule.total) return schedule.min_rate;
  if (schedule.total == schedule.warmup) return schedule.max_rate;  // the peak, then the minimum
  const double progress = static_cast<double>(step - schedule.warmup) /
                          static_cast<double>(schedule.total - schedule.warmup);
  const double height = 0.5 * (1 + math::cos(kPi * progress));
  return schedule.min_rate + height * (schedule.max_rate - schedule.min_rate);
}

}  // namespace vitro::nn
