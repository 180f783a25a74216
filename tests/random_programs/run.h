// Running a program: by the library, and on a tape.
#pragma once

#include <vector>

#include "tensor/tensor.h"

#include "tests/random_programs/program.h"
#include "tests/random_programs/tape.h"

namespace vitro::programs {

/// Steps that have a spelled-out form take it, or all are taken as they are.
enum class Form { kFused, kSpelledOut };

enum class History { kRecorded, kNone };

struct RunOptions {
  Form form = Form::kFused;
  History history = History::kRecorded;
  /// The gradient of the first input of this operation (a row of the table) is made 1 % too small:
  /// to see that it is found. -1: of none.
  int sabotaged_operation = -1;
};

/// What a run gives: the value of each step, and where History::kRecorded the gradient of each
/// parameter (in the order of the steps; of zeros where none arrived).
struct Outcome {
  std::vector<Tensor> values;
  std::vector<Tensor> gradients;
};

Outcome run(const Program& program, const RunOptions& options = {});

/// The same numbers, each with the most that a run in this Scalar may be off.
struct Expected {
  std::vector<std::vector<Bounded>> values;
  std::vector<std::vector<Bounded>> gradients;
  bool met_a_kink = false;
};

Expected expected(const Program& program);

}  // namespace vitro::programs
