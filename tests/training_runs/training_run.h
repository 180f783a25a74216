// Small models of every kind with data and an optimizer, trained step by step: what tests of whole
// runs (the same bits, memory) run.
#pragma once

#include <memory>
#include <vector>

#include "tensor/random.h"

#include "autograd/variable.h"

#include "nn/module.h"
#include "nn/optim/optimizer.h"

namespace vitro::training_runs {

/// A training that depends on its seed alone.
class TrainingRun {
 public:
  explicit TrainingRun(std::uint64_t seed) : rng_(seed) {}

  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;
  virtual ~TrainingRun() = default;

  /// A batch, its loss, the gradients (cut to norm 1), a step along the schedule. Returns the loss.
  Scalar step();

  virtual nn::Module& model() = 0;

 protected:
  virtual Variable next_loss() = 0;

  Rng rng_;
  std::unique_ptr<nn::Optimizer> optimizer_;  // set by the derived class

 private:
  Index step_count_ = 0;
};

struct NamedRun {
  const char* name;
  Index steps;  ///< enough for a difference to spread, few enough for a Debug build
  std::unique_ptr<TrainingRun> (*make)();
};

/// Together they go through every operation of autograd/ops.h, every kind of layer and model, and
/// every optimizer.
const std::vector<NamedRun>& all_runs();

/// Throws std::invalid_argument where there is none of that name.
const NamedRun& find_run(const std::string& name);

}  // namespace vitro::training_runs
