#include "autograd/spelled_out.h"

#include "tensor/context.h"

namespace vitro {

SpelledOut::SpelledOut() : before_(context().spelled_out) { context().spelled_out = true; }

SpelledOut::~SpelledOut() { context().spelled_out = before_; }

}  // namespace vitro
