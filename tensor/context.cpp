#include "tensor/context.h"

namespace vitro {

Context& context() {
  thread_local Context mine;
  return mine;
}

}  // namespace vitro
