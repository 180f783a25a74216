#include "tests/random_programs/run.h"

#include <cstddef>
#include <limits>
#include <optional>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/views.h"

#include "autograd/no_grad.h"

#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

// A run may be off by one rounding wherever the tape is, the tape itself (in double) by another,
// and kernels round up to twice where the tape rounds once: x · (1/n) in place of x/n, a power of e
// found again in backward, a pre-multiplied constant.
constexpr double kRoundings = 4;
constexpr double kUnit =
    kRoundings * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) / 2;

const Operation& operation_of(const Step& step) {
  return operations()[static_cast<std::size_t>(step.operation)];
}

// The leaf's numbers, lying in memory as its layout says. What surrounds narrowed ones is large.
Tensor leaf_tensor(const Step& step) {
  Tensor plain = to_tensor({step.shape, step.leaf.values});
  switch (step.leaf.layout) {
    case Layout::kPlain:
      return plain;
    case Layout::kTransposed:
      return transpose(contiguous(transpose(plain, 0, -1)), 0, -1);
    case Layout::kNarrowed: {
      const Tensor around = full(step.shape.with_size(-1, 2), 1000);
      return narrow(cat({around, plain, around}, -1), -1, 2, step.shape[-1]);
    }
    case Layout::kStretched:
      return broadcast_to(contiguous(narrow(plain, 0, 0, 1)), step.shape);
  }
  return plain;
}

Variable make_leaf(const Step& step) {
  const Tensor value = leaf_tensor(step);
  return step.is_parameter() ? parameter(value) : Variable(value);
}

Operands operands_of(const Program& program, const Step& step,
                     const std::vector<Variable>& variables) {
  Operands operands;
  for (const int input : step.inputs) {
    const auto i = static_cast<std::size_t>(input);
    const Step& from = program.steps[i];
    if (from.is_leaf() && from.leaf.kind == LeafKind::kNumber) {
      operands.push_back(Operand(static_cast<Scalar>(from.leaf.values[0])));
    } else {
      operands.push_back(Operand(variables[i]));
    }
  }
  return operands;
}

// x, with a gradient that is 1 % too small.
Variable sabotaged(const Operand& x) {
  return record("sabotage", x.value(), {x},
                [](const Tensor& grad) -> Gradients { return {grad * Scalar(0.99)}; });
}

Variable run_step(const Program& program, const Step& step, const std::vector<Variable>& variables,
                  const RunOptions& options) {
  std::optional<NoGrad> no_grad;
  if (step.no_grad || options.history == History::kNone) no_grad.emplace();
  Operands operands = operands_of(program, step, variables);
  if (step.operation == options.sabotaged_operation) operands[0] = sabotaged(operands[0]);
  const Operation& operation = operation_of(step);
  const bool spells_out = options.form == Form::kSpelledOut && operation.spelled_out;
  return spells_out ? operation.spelled_out(step, operands) : operation.run(step, operands);
}

}  // namespace

Outcome run(const Program& program, const RunOptions& options) {
  std::vector<Variable> variables;
  Outcome outcome;
  for (const Step& step : program.steps) {
    variables.push_back(step.is_leaf() ? make_leaf(step)
                                       : run_step(program, step, variables, options));
    outcome.values.push_back(variables.back().value());
  }
  if (options.history == History::kNone) return outcome;
  if (variables.back().requires_grad()) variables.back().backward();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!program.steps[i].is_parameter()) continue;
    const Variable& leaf = variables[i];
    outcome.gradients.push_back(leaf.has_grad() ? leaf.grad() : zeros(leaf.shape()));
  }
  return outcome;
}

Expected expected(const Program& program) {
  Tape tape(kUnit);
  TermTensors values;
  Expected result;
  for (const Step& step : program.steps) {
    TermTensor value{&tape, step.shape, {}};
    if (step.is_leaf()) {
      for (const double number : step.leaf.values) value.terms.push_back(tape.constant(number));
    } else {
      TermTensors inputs;
      for (const int input : step.inputs) inputs.push_back(values[static_cast<std::size_t>(input)]);
      value = operation_of(step).reference(step, inputs);
    }
    if (step.no_grad) value = mapped(value, detached);
    std::vector<Bounded> numbers;
    for (const Term& term : value.terms) numbers.push_back(tape.at(term.id));
    result.values.push_back(numbers);
    values.push_back(value);
  }
  const std::vector<Bounded> gradients = tape.gradients(values.back().terms[0]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!program.steps[i].is_parameter()) continue;
    std::vector<Bounded> of_leaf;
    for (const Term& term : values[i].terms) {
      of_leaf.push_back(gradients[static_cast<std::size_t>(term.id)]);
    }
    result.gradients.push_back(of_leaf);
  }
  result.met_a_kink = tape.met_a_kink();
  return result;
}

}  // namespace vitro::programs
