// EarlyStop: when more training makes it only worse.
#pragma once

#include <limits>
#include <string>

#include "tensor/scalar.h"

namespace vitro::nn {

/// Watches a loss on data that is not trained on:
///
///     if (stop.update(validation_loss)) break;
///     if (stop.is_best()) save_weights(path, model);
class EarlyStop {
 public:
  /// Stops after `patience` updates in a row that were not at least `least_gain` below the best.
  /// Throws std::invalid_argument where patience is below 1 or least_gain negative or not finite.
  explicit EarlyStop(Index patience, double least_gain = 0);

  /// True where it is time to stop. A loss that is NaN or infinite is no gain.
  bool update(double loss);

  /// Whether the last update was the best so far.
  bool is_best() const { return without_gain_ == 0; }

  double best() const { return best_; }

  /// Whether the last update was the one too many.
  bool is_over() const { return without_gain_ >= patience_; }

  /// The best loss and the updates since, to continue from later.
  std::string state() const;

  /// Continues from a state(), also from that of another patience. Throws std::invalid_argument for
  /// any other text.
  void set_state(const std::string& state);

 private:
  Index patience_;
  double least_gain_;
  double best_ = std::numeric_limits<double>::infinity();
  Index without_gain_ = 0;
};

}  // namespace vitro::nn
