// A look at the machine's arithmetic before the first number is computed.
//
// tensor/scalar.h refuses fast-math where the compiler says so by a macro. Not every flag has one
// (Clang: -fassociative-math; linking with -ffast-math flushes tiny numbers to zero), so a few sums
// whose last bits those flags change are done once and compared.
#pragma once

#include <string_view>

#include "tensor/scalar.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// What is wrong with the arithmetic of this program in this thread, as one sentence; empty if
/// nothing is. Looks anew at every call.
std::string_view float_fault();

/// Throws std::runtime_error with the sentence of float_fault(). The result of the first call is
/// kept, so later calls cost one branch.
///
/// Storage calls this where it asks the system for memory: no tensor can exist before, and the
/// linker takes this file out of a static library with the first tensor that a program uses.
void check_floats();

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
