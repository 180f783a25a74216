// Finding the first NaN or infinity: VITRO_CHECK_FINITE=1.
#pragma once

#include <string>
#include <vector>

#include "autograd/record.h"

namespace vitro {

/// The anchor for a breakpoint (`break vitro::on_non_finite`): called once in a program that runs
/// with VITRO_CHECK_FINITE=1, by the first operation whose result or gradient holds a NaN or an
/// infinity that none of its inputs held; NaN in a parameter or a constant, which nothing computed,
/// does not excuse it. (The -inf of a mask is meant, and passes.) Prints one
/// line on stderr; the program goes on.
void on_non_finite(const char* op, const Tensor& tensor, const std::string& where);

/// Checks one result: called by record() where the thread's Context asks for it.
void check_finite(const Node& node, const std::vector<Operand>& inputs);

/// Checks one gradient on its way from `node` to its input.
void check_finite_gradient(const Node& node, const Tensor& grad_of_result, const Tensor& gradient);

}  // namespace vitro
