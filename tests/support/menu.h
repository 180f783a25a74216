// The functions that autograd/ops.h declares, for tests that must know all of them.
#pragma once

#include <set>
#include <string>

namespace vitro::testing_support {

/// The text of autograd/ops.h.
std::string menu();

/// Every function that a header declares, as "name(a, b)".
std::set<std::string> declared_functions(const std::string& header);

}  // namespace vitro::testing_support
