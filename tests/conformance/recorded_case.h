// One recorded case: an operation with its inputs, and what another library made of them.
#pragma once

#include <string>
#include <vector>

#include "tensor/files/json.h"
#include "tensor/files/safetensors.h"

#include "autograd/variable.h"

namespace vitro::conformance {

/// What stands in OP__NNN.safetensors.
struct RecordedCase {
  explicit RecordedCase(const std::string& path);

  SafetensorsFile file;
  std::string op;
  JsonValue attributes;
  std::vector<Variable> variables;  // in.K as a parameter; undefined where it holds whole numbers
  std::vector<Indices> ids;         // in.K where it holds whole numbers; [0] otherwise

  const Variable& x(std::size_t input) const;

  bool has_input(std::size_t input) const { return input < variables.size(); }

  /// An input of 0 and 1, recorded as whole numbers or floats.
  Tensor mask(std::size_t input) const;

  /// An attribute counts as missing where it is null.
  bool has(const char* name) const;

  // Throw where the attribute is missing.
  Index integer(const char* name) const { return attributes[name].integer(); }

  double number(const char* name) const;

  Index integer(const char* name, Index otherwise) const;
  Scalar number(const char* name, double otherwise) const;
  bool flag(const char* name) const;

  /// A whole number or a list of them; empty where the attribute is missing.
  std::vector<Index> integers(const char* name) const;
};

}  // namespace vitro::conformance
