// Which public function each recorded operation is.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/recorded_case.h"

namespace vitro::conformance {

/// Runs a case's operation: its results, in the order out.0, out.1, …
using Operation = std::function<std::vector<Variable>(const RecordedCase& recorded)>;
using OperationTable = std::map<std::string, Operation>;

/// Elementwise operations, reductions, shapes and products.
void add_basic_operations(OperationTable& table);

/// Softmax, losses, norms, attention and positions.
void add_layer_operations(OperationTable& table);

/// Optimizers, clipping and schedules.
void add_training_operations(OperationTable& table);

}  // namespace vitro::conformance
