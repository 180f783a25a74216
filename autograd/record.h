// record: the one door from numbers to history. Operand: an input that knows who passed it.
#pragma once

#include <vector>

#include "autograd/node.h"
#include "autograd/variable.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

/// An input of an operation. Operations take `const Operand&`; a Variable or a number converts by
/// itself, and the conversion notes the caller's file and line, for history and for errors. It
/// throws std::logic_error for an undefined Variable.
class Operand {
 public:
  Operand(const Variable& variable, const char* file = __builtin_FILE(),  // NOLINT(*explicit*)
          int line = __builtin_LINE());
  Operand(Scalar number, const char* file = __builtin_FILE(),  // NOLINT(*explicit*)
          int line = __builtin_LINE());

  Operand(const Operand&) = default;
  Operand& operator=(const Operand&) = default;
  ~Operand();  // an operation ends with its operands, also where an exception ends it

  /// The numbers. Also tells the thread's Context on whose behalf they are used from here until
  /// record(): an error in between names the caller's line.
  const Tensor& value() const;

  const Shape& shape() const { return value().shape(); }

  Index size(Index axis) const { return shape()[axis]; }

  Index rank() const { return shape().rank(); }

  bool requires_grad() const { return variable_.requires_grad(); }

  const Variable& variable() const { return variable_; }

  const char* file() const { return file_; }

  int line() const { return line_; }

 private:
  Variable variable_;
  const char* file_;
  int line_;
};

/// The result of an operation with its history: `operation` made `value` from `inputs`, and
/// `backward` knows how a gradient flows through it. The caller's file and line come from the
/// first input, the module path from the Context. Keeps no history where no input needs a
/// gradient or a NoGrad lives.
Variable record(const char* operation, Tensor value, const std::vector<Operand>& inputs,
                Backward backward, Attributes attributes = {});

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
