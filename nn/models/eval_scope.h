// EvalScope: evaluation mode for a while.
#pragma once

#include "nn/module.h"

namespace vitro::nn {

/// Switches a module to eval(), and back to what it was at the end of its life.
class EvalScope {
 public:
  explicit EvalScope(Module& module) : module_(module), was_training_(module.is_training()) {
    module_.eval();
  }

  EvalScope(const EvalScope&) = delete;
  EvalScope& operator=(const EvalScope&) = delete;

  ~EvalScope() {
    if (was_training_) module_.train();
  }

 private:
  Module& module_;
  const bool was_training_;
};

}  // namespace vitro::nn
