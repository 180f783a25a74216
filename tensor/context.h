// What one thread is doing right now: the few flags that operations, modules and errors share.
#pragma once

#include <memory>
#include <string>

#include "tensor/scalar.h"

namespace vitro {

class Observer;       // autograd/observer.h
class ObserverScope;  // the same

/// One per thread. Set by scopes (NoGrad, a module's forward) and by the operation under way.
struct Context {
  bool grad_enabled = true;      ///< false while a NoGrad lives
  Index spelled_out = 0;         ///< how many SpelledOut live: with any, no module fuses operations
  bool draws_weights = true;     ///< false while an nn::NoInitialDraws lives
  bool checks_finite = false;    ///< the first NaN is searched for: VITRO_CHECK_FINITE=1
  Observer* observer = nullptr;  ///< who watches this thread; null: nobody
  ObserverScope* observer_scope = nullptr;  ///< the innermost; observer is its own
  const char* file = nullptr;  ///< who called the operation under way; null outside operations
  int line = 0;
  std::shared_ptr<const std::string> module_path;  ///< the innermost module whose forward runs
};

/// The calling thread's own Context.
Context& context();

}  // namespace vitro
