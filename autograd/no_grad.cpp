#include "autograd/no_grad.h"

#include "tensor/context.h"

namespace vitro {

NoGrad::NoGrad() : before_(context().grad_enabled) { context().grad_enabled = false; }

NoGrad::~NoGrad() { context().grad_enabled = before_; }

}  // namespace vitro
