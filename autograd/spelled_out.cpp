#include "autograd/spelled_out.h"

#include "tensor/context.h"

namespace vitro {

SpelledOut::SpelledOut() { context().spelled_out += 1; }

SpelledOut::~SpelledOut() { context().spelled_out -= 1; }

}  // namespace vitro
