// What goes wrong is said in one sentence that names the operation and the caller's line.
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/context.h"
#include "tensor/create.h"
#include "tensor/matmul.h"

#include "autograd/ops.h"

namespace vitro {
namespace {

template <typename Error, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown, or something else";
  return "";
}

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
  }
}

std::string here(int line) { return "engine_errors_test.cpp:" + std::to_string(line) + ")"; }

Variable weights() { return parameter(ones({2, 3}), "w"); }

TEST(EngineErrors, NamedFunctionsAndOperatorsNameTheCallersLine) {
  const Variable a = weights();
  const Variable b = parameter(ones({4, 5}));
  int line = 0;
  const std::string named = message_of<ShapeError>([&] {
    line = __LINE__ + 1;
    matmul(a, b);
  });
  expect_parts(named, {"matmul: ", "[2, 3]", "[4, 5]", "(called at ", here(line)});
  const std::string by_operator = message_of<ShapeError>([&] {
    line = __LINE__ + 1;
    a + b;
  });
  expect_parts(by_operator, {"[2, 3]", "[4, 5]", "(called at ", here(line)});
  const std::string unary = message_of<ShapeError>([&] {
    line = __LINE__ + 1;
    softmax(a, 2);
  });
  expect_parts(unary, {"softmax: ", here(line)});
  const std::string in_steps = message_of<ShapeError>([&] {
    line = __LINE__ + 1;
    mask_scores(parameter(ones({3})), {});
  });
  expect_parts(in_steps, {"mask_scores: ", "[3]", here(line)});
}

TEST(EngineErrors, AnErrorDoesNotLendItsLineToLaterOnes) {
  message_of<ShapeError>([] { matmul(weights(), weights()); });
  const std::string tensors = message_of<ShapeError>([] { matmul(ones({2, 3}), ones({2, 3})); });
  EXPECT_EQ(tensors.find("called at"), std::string::npos) << tensors;
}

TEST(EngineErrors, BL24_AGradientOfAnotherShapeIsRefused) {
  const Variable x = parameter(ones({3}));
  context().module_path = std::make_shared<const std::string>("model.head");
  const int line = __LINE__ + 1;
  const Variable y = record("custom", x.value(), {x}, [](const Tensor&) -> Gradients {
    return {ones({4, 3})};
  });
  context().module_path = nullptr;
  const std::string message = message_of<ShapeError>([&] { y.backward(ones({3})); });
  expect_parts(message, {"backward of custom", "[4, 3]", "[3]",
                         "engine_errors_test.cpp:", ":" + std::to_string(line), "in model.head)"});
  EXPECT_EQ(context().module_path, nullptr);
  EXPECT_FALSE(x.has_grad());
}

TEST(EngineErrors, ARegionOutsideTheInputIsRefused) {
  const Variable x = parameter(ones({2, 3}));
  const auto try_region = [&x](Index axis, Index start, const Shape& shape) {
    const Variable y = record("custom", x.value(), {x}, [=](const Tensor&) -> Gradients {
      return {Gradient::of_region(axis, start, ones(shape))};
    });
    const std::string message = message_of<ShapeError>([&] { y.backward(ones({2, 3})); });
    expect_parts(message, {"backward of custom", "[2, 3]", "called at"});
  };
  try_region(1, 2, {2, 2});
  try_region(1, -1, {2, 2});
  try_region(2, 0, {2, 2});
  try_region(-3, 0, {2, 2});
  try_region(1, 0, {1, 2});
  try_region(1, 0, {2});
  EXPECT_FALSE(x.has_grad());
}

TEST(EngineErrors, AWrongNumberOfGradientsIsRefused) {
  const Variable x = weights();
  const Variable y =
      record("custom", x.value(), {x, x}, [](const Tensor& grad) -> Gradients { return {grad}; });
  const std::string message = message_of<std::logic_error>([&] { y.backward(ones({2, 3})); });
  expect_parts(message, {"backward of custom: 1 gradients for 2 inputs", "called at"});
}

TEST(EngineErrors, AnErrorInsideABackwardNamesTheForwardCall) {
  const Variable x = weights();
  const int line = __LINE__ + 1;
  const Variable y = record("custom", x.value(), {x},
                            [](const Tensor& grad) -> Gradients { return {matmul(grad, grad)}; });
  const std::string message = message_of<ShapeError>([&] { y.backward(ones({2, 3})); });
  expect_parts(message, {"matmul: ", here(line)});
}

// Nothing of the failed attempt is left: no marks, no gradients on the way, no caller.
TEST(EngineErrors, AfterAnErrorInsideABackwardTheRestWorks) {
  const Variable x = weights();
  const Variable h = x * Scalar(2);
  const Variable bad = record("custom", h.value(), {h}, [](const Tensor&) -> Gradients {
    throw std::runtime_error("no gradient");
  });
  // Backward reaches h through the sum before it fails.
  EXPECT_THROW(sum(bad + h).backward(), std::runtime_error);
  EXPECT_FALSE(h.has_grad());
  EXPECT_FALSE(h.shared_node()->visited);
  x.zero_grad();
  sum(h).backward();
  EXPECT_EQ(x.grad().to_vector(), std::vector<Scalar>(6, 2));
  const std::string later = message_of<ShapeError>([] { ones({2}) + ones({3}); });
  EXPECT_EQ(later.find("called at"), std::string::npos) << later;
}

TEST(EngineErrors, BL18_ASecondBackwardIsRefused) {
  const Variable a = weights();
  const Variable c = a * a;
  const int line = __LINE__ + 1;
  const Variable e = sum(c);
  e.backward();
  const std::vector<Scalar> once = a.grad().to_vector();
  expect_parts(message_of<std::logic_error>([&] { e.backward(); }),
               {"backward: the history of sum", "already used", here(line)});
  EXPECT_EQ(a.grad().to_vector(), once);
  // Another result that stands on the used part; the walk to it leaves no marks.
  const Variable twice = c * Scalar(2);
  const Variable other = sum(twice);
  expect_parts(message_of<std::logic_error>([&] { other.backward(); }),
               {"the history of multiply", "already used"});
  EXPECT_FALSE(other.shared_node()->visited);
  EXPECT_FALSE(twice.shared_node()->visited);
  EXPECT_EQ(a.grad().to_vector(), once);
}

TEST(EngineErrors, BackwardNeedsANumberOrAGradientOfTheRightShape) {
  const Variable y = weights() * Scalar(2);
  expect_parts(message_of<ShapeError>([&] { y.backward(); }), {"backward: ", "[2, 3]"});
  expect_parts(message_of<ShapeError>([&] { y.backward(ones({3, 2})); }), {"[3, 2]", "[2, 3]"});
  EXPECT_THROW(Variable(ones({})).backward(), std::logic_error);
}

TEST(EngineErrors, AnUndefinedVariableIsRefusedEverywhere) {
  const Variable none;
  const Variable x = weights();
  EXPECT_THROW(none.value(), std::logic_error);
  EXPECT_THROW(none.backward(), std::logic_error);
  EXPECT_THROW(none.grad(), std::logic_error);
  EXPECT_THROW(none.zero_grad(), std::logic_error);
  int line = 0;
  const std::string by_operator = message_of<std::logic_error>([&] {
    line = __LINE__ + 1;
    x + none;
  });
  expect_parts(by_operator, {"Variable: it was made without a value", here(line)});
  const auto never_looks = [&] {
    record("custom", x.value(), {x, none}, [](const Tensor& grad) -> Gradients {
      return {grad, grad};
    });
  };
  EXPECT_THROW(never_looks(), std::logic_error);
}

TEST(EngineErrors, ValuesAndGradientsAreReplacedByTheirOwnShapeOnly) {
  Variable w = weights();
  expect_parts(message_of<ShapeError>([&] { w.set_value(ones({3})); }), {"[3]", "'w'", "[2, 3]"});
  expect_parts(message_of<ShapeError>([&] { w.set_grad(ones({6})); }), {"[6]", "'w'", "[2, 3]"});
  Variable result = w * Scalar(2);
  EXPECT_THROW(result.set_value(ones({2, 3})), std::logic_error);
  expect_parts(message_of<std::logic_error>([&] { w.grad(); }), {"no gradient yet", "'w'"});
  expect_parts(message_of<std::logic_error>([&] { Variable(ones({})).grad(); }), {"constant"});
}

// Else the gradient would be lost without a word.
TEST(EngineErrors, BL22_AnOperationWithoutABackwardIsRefusedWhereOneIsNeeded) {
  const Variable x = weights();
  const std::string message =
      message_of<std::invalid_argument>([&] { record("custom", x.value(), {x}, nullptr); });
  expect_parts(message, {"record: 'custom' has no backward"});
  EXPECT_FALSE(record("custom", x.value(), {x.detach()}, nullptr).requires_grad());
}

}  // namespace
}  // namespace vitro
