// Every operation of autograd/ops.h has the gradient that its values have.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"

#include "autograd/no_grad.h"

#include "tests/autograd/gradcheck_table.h"
#include "tests/support/menu.h"

namespace vitro {
namespace {

using testing_support::declared_functions;
using testing_support::menu;

constexpr bool kIsDouble = GradcheckOptions::kIsDouble;

std::string title(const GradcheckRow& row) { return row.operation + ", " + row.variant; }

// Double: 1e-8, where the worst row has 1e-9. Float: the default, see GradcheckOptions.
GradcheckOptions table_options() {
  GradcheckOptions options;
  if (kIsDouble) options.tolerance = 1e-8;
  return options;
}

TEST(GradTable, BL23_EveryRowPassesWithARandomUpstream) {
  for (const GradcheckRow& row : gradcheck_table()) {
    const GradcheckResult result = gradcheck(row.function, row.inputs, table_options());
    EXPECT_TRUE(result.passed) << title(row) << ": " << result;
    EXPECT_GT(result.checked_count, 0) << title(row);
  }
}

// x itself, with a gradient that is 1 % too small.
Variable sabotaged(const Operand& x) {
  return record("sabotage", x.value(), {x},
                [](const Tensor& grad) -> Gradients { return {grad * Scalar(0.99)}; });
}

// A check that a wrong gradient passes proves nothing: for every row and every input.
TEST(GradTable, EveryRowFailsUnderSabotageOfAnyInput) {
  if (!kIsDouble) GTEST_SKIP() << "float differences cannot tell 1 %: sabotage is tried in double";
  for (const GradcheckRow& row : gradcheck_table()) {
    for (std::size_t i = 0; i < row.inputs.size(); ++i) {
      const auto wrong = [&row, i](const std::vector<Variable>& inputs) {
        std::vector<Variable> changed = inputs;
        changed[i] = sabotaged(inputs[i]);
        return row.function(changed);
      };
      EXPECT_FALSE(gradcheck(wrong, row.inputs, table_options()).passed)
          << title(row) << ": the gradient of input " << i << " x 0.99 went unnoticed";
    }
  }
}

// Where a view is the input, the values are those of its contiguous copy, bit by bit.
TEST(GradTable, ViewsGiveTheValuesOfTheirCopies) {
  Index view_count = 0;
  const NoGrad no_grad;
  for (const GradcheckRow& row : gradcheck_table()) {
    std::vector<Variable> copies;
    bool has_view = false;
    for (const Variable& input : row.inputs) {
      has_view |= !input.value().is_contiguous();
      copies.push_back(Variable(contiguous(input.value())));
    }
    if (!has_view || row.operation == "view(x, sizes)") continue;
    ++view_count;
    EXPECT_EQ(row.function(row.inputs).value().to_vector(),
              row.function(copies).value().to_vector())
        << title(row);
  }
  EXPECT_GT(view_count, 40);
}

TEST(GradTable, ZeroGradientsAreExactAndHaveTheInputsShape) {
  for (const GradcheckRow& row : zero_gradient_table()) {
    const Variable result = row.function(row.inputs);
    result.backward(Tensor::filled(result.shape(), [&](Scalar* out) {
      std::fill_n(out, result.value().element_count(), Scalar(1));
    }));
    for (const Variable& input : row.inputs) {
      ASSERT_TRUE(input.has_grad()) << title(row);
      EXPECT_EQ(input.grad().shape(), input.shape()) << title(row);
      for (const Scalar g : input.grad().to_vector()) EXPECT_EQ(g, 0) << title(row);
    }
    const GradcheckResult checked = gradcheck(row.function, row.inputs, table_options());
    EXPECT_TRUE(checked.passed) << title(row) << ": " << checked;
  }
}

// ---- The table is complete ----------------------------------------------------------------------

std::set<std::string> functions_with_rows() {
  std::set<std::string> operations;
  for (const GradcheckRow& row : gradcheck_table()) operations.insert(row.operation);
  return operations;
}

std::vector<std::string> without_row(const std::string& header) {
  const std::set<std::string> declared = declared_functions(header);
  const std::set<std::string> rows = functions_with_rows();
  std::vector<std::string> missing;
  std::set_difference(declared.begin(), declared.end(), rows.begin(), rows.end(),
                      std::back_inserter(missing));
  return missing;
}

TEST(GradTable, EveryOperationOfTheMenuHasARow) {
  const std::set<std::string> declared = declared_functions(menu());
  EXPECT_GE(declared.size(), 40u);
  EXPECT_EQ(without_row(menu()), std::vector<std::string>{});
  for (const std::string& operation : functions_with_rows()) {
    EXPECT_TRUE(declared.contains(operation)) << operation << " has a row, but is not declared";
  }
}

TEST(GradTable, AnOperationWithoutARowIsFound) {
  const std::string header = menu() + R"(
    // Variable commented_out(const Operand& x);
    Variable cube(const Operand& x);
    Variable tanh(const Operand& x, Scalar scale = Scalar(2));
    Variable roll(const std::vector<Operand>& parts,
                  const std::vector<std::pair<Index, Index>>& turns = {{1, 2}, {3, 4}});
    std::vector<Variable> split(const Operand& x, Index count);
    Variable operator%(const Operand& a, const Operand& b);
  )";
  EXPECT_EQ(without_row(header),
            (std::vector<std::string>{"cube(x)", "operator%(a, b)", "roll(parts, turns)",
                                      "split(x, count)", "tanh(x, scale)"}));
}

}  // namespace
}  // namespace vitro
