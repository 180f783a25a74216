// The table of operations: how each is drawn, run, spelled out, and what it means.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/ops.h"

#include "tests/random_programs/program.h"
#include "tests/random_programs/term_tensor.h"

namespace vitro::programs {

class Builder;

using Operands = std::vector<Operand>;

struct Operation {
  std::string declared;  // as autograd/ops.h declares it: "linear(x, w, bias)"
  /// Adds steps that end in this operation, or none where nothing suits.
  std::function<void(Builder&)> draw;
  std::function<Variable(const Step&, const Operands&)> run;
  /// The same in other operations, with no more roundings than the definition has; empty where the
  /// operation is one step anyway.
  std::function<Variable(const Step&, const Operands&)> spelled_out;
  /// The same on a tape, from the definition in autograd/ops.h.
  std::function<TermTensor(const Step&, const TermTensors&)> reference;
};

using Operations = std::vector<Operation>;

/// Every operation of autograd/ops.h takes part; the self-test compares.
const Operations& operations();

/// The row of an operation. Throws std::out_of_range where there is none.
int operation_number(const std::string& declared);

// The table's parts, one file each.
void add_pair_operations(Operations& table);
void add_elementwise_operations(Operations& table);
void add_reduce_operations(Operations& table);
void add_view_operations(Operations& table);
void add_join_operations(Operations& table);
void add_product_operations(Operations& table);
void add_softmax_operations(Operations& table);
void add_layer_operations(Operations& table);
void add_attention_operations(Operations& table);

// What several rows share.

/// A tensor of this program's scalar; [0] for none.
Tensor to_tensor(const Numbers& numbers);

}  // namespace vitro::programs
