#include "nn/text/shuffled_order.h"

#include <charconv>
#include <system_error>

#include "tensor/error.h"

namespace vitro::nn {

ShuffledOrder::ShuffledOrder(Index count, Rng& rng) : count_(count), rng_(rng.next()) {
  check_size(count, "ShuffledOrder", "count");
  start_round();
}

void ShuffledOrder::start_round() {
  round_start_ = rng_.state();
  round_ = rng_.permutation(count_);
  place_ = 0;
}

Index ShuffledOrder::next() {
  if (place_ == count_) start_round();
  return round_[static_cast<std::size_t>(place_++)];
}

std::vector<Index> ShuffledOrder::next(Index count) {
  std::vector<Index> items;
  for (Index i = 0; i < count; ++i) items.push_back(next());
  return items;
}

std::string ShuffledOrder::state() const {
  return join_text({place_, " of ", count_, " from ", round_start_});
}

void ShuffledOrder::set_state(const std::string& state) {
  const std::string middle = join_text({" of ", count_, " from "});
  const std::size_t at = state.find(middle);
  Index place = 0;
  const char* const digits_end = state.data() + (at == std::string::npos ? 0 : at);
  const auto [stop, error] = std::from_chars(state.data(), digits_end, place);
  if (error != std::errc() || stop != digits_end || place < 0 || place > count_) {
    throw_invalid({"ShuffledOrder: '", state, "' is no state of an order of ", count_,
                   " items; it must be what state() gave"});
  }
  Rng generator(0);
  generator.set_state(state.substr(at + middle.size()));  // refuses what is none
  rng_ = generator;
  start_round();
  place_ = place;
}

}  // namespace vitro::nn
