// EvalScope: evaluation mode for a while.
#pragma once

#include <cstddef>
#include <vector>

#include "nn/module.h"

namespace vitro::nn {

/// Switches a module and all below it to eval(), and each back to what it was at the end of its
/// life.
class EvalScope {
 public:
  explicit EvalScope(Module& module) {
    before_.push_back({&module, module.is_training()});
    for (std::size_t i = 0; i < before_.size(); ++i) {
      for (Module* child : before_[i].module->children()) {
        before_.push_back({child, child->is_training()});
      }
    }
    module.eval();
  }

  EvalScope(const EvalScope&) = delete;
  EvalScope& operator=(const EvalScope&) = delete;

  // Parents come before children: a parent's train() and eval() reach all below it.
  ~EvalScope() {
    for (const Mode& mode : before_) {
      if (mode.was_training) {
        mode.module->train();
      } else {
        mode.module->eval();
      }
    }
  }

 private:
  struct Mode {
    Module* module;
    bool was_training;
  };

  std::vector<Mode> before_;
};

}  // namespace vitro::nn
