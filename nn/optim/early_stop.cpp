#include "nn/optim/early_stop.h"

#include "tensor/error.h"

namespace vitro::nn {

EarlyStop::EarlyStop(Index patience, double least_gain)
    : patience_(patience), least_gain_(least_gain) {
  check_size(patience, "EarlyStop", "patience");
  if (!(least_gain >= 0)) {
    throw_invalid({"EarlyStop: least_gain is ", least_gain, "; it must be 0 or more"});
  }
}

bool EarlyStop::update(double loss) {
  const bool gains = least_gain_ > 0 ? loss <= best_ - least_gain_ : loss < best_;
  if (gains) {
    best_ = loss;
    without_gain_ = 0;
    return false;
  }
  ++without_gain_;
  return without_gain_ >= patience_;
}

}  // namespace vitro::nn
