#include "tensor/context.h"

#include <cstdlib>
#include <string_view>

namespace vitro {
namespace {

Context new_context() {
  Context fresh;
  const char* const asked = std::getenv("VITRO_CHECK_FINITE");
  fresh.checks_finite = asked != nullptr && std::string_view(asked) != "0";
  return fresh;
}

}  // namespace

Context& context() {
  thread_local Context mine = new_context();
  return mine;
}

}  // namespace vitro
