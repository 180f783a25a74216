// NoGrad: computing without history.
#pragma once

namespace vitro {

/// While one lives, operations of its thread keep no history: for evaluation and generation.
///     const NoGrad no_grad;
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

}  // namespace vitro
