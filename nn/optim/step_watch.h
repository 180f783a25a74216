// StepWatch: tells who watches the thread (a trace, a profile) how an optimizer moves a parameter.
#pragma once

#include "autograd/observer.h"

#include "nn/module.h"

namespace vitro::nn {

/// Made before a parameter moves; done() afterwards. Costs one branch where nobody watches.
class StepWatch {
 public:
  StepWatch(const char* optimizer, const NamedParameter& parameter)
      : observer_(context().observer), optimizer_(optimizer), parameter_(parameter) {
    if (observer_ == nullptr) return;
    before_ = parameter.variable.value();
    observer_->parameter_step_begins();
  }

  /// `settings()` returns Attributes: what the move depends on besides the gradient.
  template <typename Settings>
  void done(const Tensor& grad, const Settings& settings) {
    if (observer_ == nullptr) return;
    observer_->parameter_step_ends(
        {optimizer_, parameter_.name, parameter_.variable, before_, grad, settings()});
  }

 private:
  Observer* observer_;
  const char* optimizer_;
  const NamedParameter& parameter_;
  Tensor before_;
};

}  // namespace vitro::nn
