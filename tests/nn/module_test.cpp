#include "nn/module.h"

#include <type_traits>

#include "tensor/arithmetic.h"

#include "autograd/ops.h"

#include "nn/layers/dropout.h"
#include "nn/layers/linear.h"
#include "nn/models/eval_scope.h"

#include "tests/nn/nn_support.h"

namespace vitro::test {
namespace {

using nn::Layer;
using nn::Module;

class Gain : public Layer {
 public:
  explicit Gain(Index width) : gain_(add_parameter("gain", ones({width}))) {}

  Variable forward(const Variable& x) override { return x * gain_; }

  const Variable& gain() const { return gain_; }

 private:
  const Variable gain_;
};

// A parameter, two children, a parameter again, and a parameter shared from the first child.
class Tree : public Layer {
 public:
  Tree()
      : first_(add_parameter("first", full({2, 3}, 5))),
        left_(add_module<Gain>("left", 3)),
        right_(add_module<Gain>("right", 5)),
        last_(add_parameter("last", zeros({}))),
        again_(share_parameter("again", left_.gain())) {}

  Variable forward(const Variable& x) override { return right_(left_(x) * again_); }

  using Module::add_module;
  using Module::add_parameter;
  using Module::own;
  using Module::share_parameter;

  Gain& left() { return left_; }

  Gain& right() { return right_; }

 private:
  const Variable first_;
  Gain& left_;
  Gain& right_;
  const Variable last_;
  const Variable again_;
};

class Outer : public Layer {
 public:
  Outer() : tree_(add_module<Tree>("tree")) {}

  Variable forward(const Variable& x) override { return tree_(x); }

  Tree& tree() { return tree_; }

 private:
  Tree& tree_;
};

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> all;
  for (const nn::NamedParameter& parameter : module.named_parameters()) {
    all.push_back(parameter.name);
  }
  return all;
}

using Names = std::vector<std::string>;

TEST(Module, NamesParametersInTheOrderOfTheirAddingASharedOneOnce) {
  const Outer outer;
  EXPECT_EQ(names(outer), (Names{"tree.first", "tree.left.gain", "tree.right.gain", "tree.last"}));
}

TEST(Module, CountsASharedParameterOnce) {
  const Outer outer;
  EXPECT_EQ(outer.parameter_count(), 6 + 3 + 5 + 1);
  EXPECT_EQ(outer.parameters().size(), 4U);
}

TEST(Module, HandsOutTheParameterItselfAndNotACopy) {
  Outer outer;
  set_named(outer, "tree.left.gain", full({3}, 7));
  expect_equal(outer.tree().left().gain().value(), {3}, {7, 7, 7});
}

TEST(Module, IsNotCopyable) {
  EXPECT_FALSE(std::is_copy_constructible_v<Tree>);
  EXPECT_FALSE(std::is_copy_assignable_v<Tree>);
  EXPECT_FALSE(std::is_move_constructible_v<Tree>);
}

TEST(Module, RefusesNamesThatAreEmptyDottedOrTaken) {
  Tree tree;
  const auto add = [&tree](const std::string& name) {
    return [&tree, name] { tree.add_parameter(name, zeros({1})); };
  };
  expect_error_contains<std::invalid_argument>(add(""), "must not be empty");
  expect_error_contains<std::invalid_argument>(add("a.b"), "'a.b'");
  expect_error_contains<std::invalid_argument>(add("first"), "'first' already");
  expect_error_contains<std::invalid_argument>(add("left"), "'left' already");
  const auto child = [&tree] { tree.add_module<Gain>("last", 2); };
  expect_error_contains<std::invalid_argument>(child, "'last' already");
  const auto dotted = [&tree] { tree.add_module<Gain>("x.y", 2); };
  expect_error_contains<std::invalid_argument>(dotted, "'x.y'");
  EXPECT_EQ(names(tree), (Names{"first", "left.gain", "right.gain", "last"}));
}

TEST(Module, RefusesToShareWhatIsNoParameter) {
  Tree tree;
  const auto constant = [&tree] { tree.share_parameter("c", Variable(zeros({2}))); };
  expect_error_contains<std::invalid_argument>(constant, "'c'");
  const auto undefined = [&tree] { tree.share_parameter("u", Variable()); };
  expect_error_contains<std::invalid_argument>(undefined, "'u'");
  const auto result = [&tree] { tree.share_parameter("r", tree.left().gain() * Scalar(2)); };
  expect_error_contains<std::invalid_argument>(result, "'r'");
}

TEST(Module, TrainAndEvalReachAllBelow) {
  Outer outer;
  EXPECT_TRUE(outer.tree().right().is_training());
  outer.eval();
  EXPECT_FALSE(outer.is_training());
  EXPECT_FALSE(outer.tree().is_training());
  EXPECT_FALSE(outer.tree().right().is_training());
  outer.tree().train();
  EXPECT_FALSE(outer.is_training());
  EXPECT_TRUE(outer.tree().left().is_training());
}

TEST(Module, ChildrenAreThoseRightBelowInTheirOrder) {
  Outer outer;
  EXPECT_EQ(outer.children(), (std::vector<Module*>{&outer.tree()}));
  EXPECT_EQ(outer.tree().children(),
            (std::vector<Module*>{&outer.tree().left(), &outer.tree().right()}));
  EXPECT_TRUE(outer.tree().left().children().empty());
}

// Part of a model may be at rest while the whole trains, and the other way about.
TEST(EvalScope, GivesEachModuleItsOwnModeBack) {
  Outer outer;
  Gain& left = outer.tree().left();
  Gain& right = outer.tree().right();
  left.eval();
  {
    const nn::EvalScope evaluation(outer);
    EXPECT_FALSE(outer.is_training());
    EXPECT_FALSE(right.is_training());
  }
  EXPECT_TRUE(outer.is_training());
  EXPECT_TRUE(outer.tree().is_training());
  EXPECT_FALSE(left.is_training());
  EXPECT_TRUE(right.is_training());
  outer.eval();
  right.train();
  {
    const nn::EvalScope evaluation(outer);
    EXPECT_FALSE(right.is_training());
  }
  EXPECT_FALSE(outer.is_training());
  EXPECT_FALSE(left.is_training());
  EXPECT_TRUE(right.is_training());
}

TEST(Module, PathLeadsFromTheOutermostModule) {
  Outer outer;
  EXPECT_EQ(*outer.path(), "");
  EXPECT_EQ(*outer.tree().path(), "tree");
  EXPECT_EQ(*outer.tree().right().path(), "tree.right");
}

TEST(Module, APathAskedForBeforeAdoptionIsForgotten) {
  class Holder : public Module {
   public:
    Gain& hold(std::unique_ptr<Gain> gain) { return own("held", std::move(gain)); }
  };

  auto gain = std::make_unique<Gain>(2);
  EXPECT_EQ(*gain->path(), "");
  Holder holder;
  EXPECT_EQ(*holder.hold(std::move(gain)).path(), "held");
}

TEST(Module, ErrorsAndResultsCarryThePathOfTheModuleAtWork) {
  Outer outer;
  Rng rng(1);
  const Variable x(random_tensor({2, 3}, rng));
  const auto call = [&] { outer(x); };  // right wants 5 columns
  expect_error_contains<ShapeError>(call, "in tree.right)");
  const Variable y = outer.tree().left()(x);
  ASSERT_NE(y.shared_node()->module_path, nullptr);
  EXPECT_EQ(*y.shared_node()->module_path, "tree.left");
  const auto outside = [&] { x + Variable(zeros({7})); };
  EXPECT_EQ(message_of<ShapeError>(outside).find("tree"), std::string::npos);
}

TEST(Module, ZeroGradForgetsEveryGradient) {
  Tree tree;
  for (const Variable& parameter : tree.parameters()) {
    parameter.set_grad(ones(parameter.shape()));
  }
  tree.zero_grad();
  for (const Variable& parameter : tree.parameters()) EXPECT_FALSE(parameter.has_grad());
}

TEST(Module, ASharedParameterCollectsTheGradientOfBothUses) {
  Tree tree;
  Rng rng(2);
  const Variable x(random_tensor({7, 3}, rng));
  sum(tree.left()(x) * tree.left().gain()).backward();  // Σ x·g², with g = 1
  const Tensor expected = sum(x.value() * Scalar(2), {0});
  const std::vector<Scalar> values = expected.to_vector();
  expect_close(tree.left().gain().grad(), {3}, {values.begin(), values.end()});
}

TEST(Module, ParameterTablePrintsNameShapeCountMeanAndDeviation) {
  class Two : public Module {
   public:
    Two() {
      add_parameter("weight", Tensor({2, 2}, {1, 1, 3, 3}));
      add_parameter("a_rather_long_name", full({1000}, Scalar(-0.25)));
    }
  };

  EXPECT_EQ(nn::parameter_table(Two()),
            "parameter           shape      numbers      mean  deviation\n"
            "weight              [2, 2]           4    2.0000     1.0000\n"
            "a_rather_long_name  [1000]        1000   -0.2500     0.0000\n"
            "1004 numbers in 2 parameters\n");
}

TEST(Module, RefusesAChildThatIsNone) {
  Tree tree;
  const auto none = [&tree] { tree.own<nn::Layer>("none", nullptr); };
  expect_error_contains<std::invalid_argument>(none, "no module for 'none'");
}

}  // namespace
}  // namespace vitro::test
