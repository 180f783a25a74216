#include "nn/optim/early_stop.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

#include "tensor/error.h"

namespace vitro::nn {

EarlyStop::EarlyStop(Index patience, double least_gain)
    : patience_(patience), least_gain_(least_gain) {
  check_size(patience, "EarlyStop", "patience");
  if (!(least_gain >= 0) || !std::isfinite(least_gain)) {
    throw_invalid(
        {"EarlyStop: least_gain is ", least_gain, "; it must be a finite number, 0 or more"});
  }
}

bool EarlyStop::update(double loss) {
  const bool is_lower = least_gain_ > 0 ? loss <= best_ - least_gain_ : loss < best_;
  if (is_lower && std::isfinite(loss)) {  // at the start the best is infinity: inf <= inf - gain
    best_ = loss;
    without_gain_ = 0;
    return false;
  }
  ++without_gain_;
  return is_over();
}

std::string EarlyStop::state() const { return join_text({without_gain_, " since ", best_}); }

void EarlyStop::set_state(const std::string& state) {
  const std::string middle = " since ";
  const char* const end = state.data() + state.size();
  Index without_gain = 0;
  double best = 0;  // read as what it was written from, so that it is the same to the last bit
  const auto [at, error] = std::from_chars(state.data(), end, without_gain);
  bool is_state = error == std::errc() && without_gain >= 0 &&
                  std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(middle);
  if (is_state) {
    const auto [stop, wrong] = std::from_chars(at + middle.size(), end, best);
    is_state =
        wrong == std::errc() && stop == end && best > -std::numeric_limits<double>::infinity();
  }
  if (!is_state) {
    throw_invalid({"EarlyStop: '", state, "' is no state of it; it must be what state() gave"});
  }
  best_ = best;
  without_gain_ = without_gain;
}

}  // namespace vitro::nn
