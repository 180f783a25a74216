// Module: named parameters and child modules, as a tree. Layer: a module with one input.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/random.h"

#include "autograd/variable.h"

namespace vitro::nn {

/// A parameter and its path in the module that was asked: "blocks.0.attention.w_qkv".
struct NamedParameter {
  std::string name;
  Variable variable;
};

/// A generator that a module draws from while training, such as Dropout's: "block_0.dropout.rng".
struct NamedGenerator {
  std::string name;
  Rng* generator = nullptr;  ///< never null; lives as long as the module
};

/// Parameters and children come into being only through add_parameter, share_parameter and
/// add_module, so that none is forgotten when training, counting or saving. Not copyable: a copy
/// would share the numbers of the original, or lose its ties.
///
///     class Scale : public Layer {
///      public:
///       explicit Scale(Index width) : gain_(add_parameter("gain", ones({width}))) {}
///       Variable forward(const Variable& x) override { return x * gain_; }
///
///      private:
///       const Variable gain_;  // [width]
///     };
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  /// All parameters of this module and of those below it, in the order in which they were added;
  /// a shared one once, under its first name.
  std::vector<NamedParameter> named_parameters() const;
  std::vector<Variable> parameters() const;

  /// All generators of this module and of those below it: what a training run must save beside the
  /// parameters to go on with the same draws.
  std::vector<NamedGenerator> named_generators() const;

  /// The modules right below this one, in the order in which they were added.
  std::vector<Module*> children();

  /// How many numbers there are to train.
  Index parameter_count() const;

  /// Forgets the gradients of all parameters.
  void zero_grad() const;

  /// Switches what behaves differently while training (dropout), here and below. New modules
  /// train.
  void train() { set_training(true); }

  void eval() { set_training(false); }

  bool is_training() const { return training_; }

  /// The path from the outermost module, "blocks.0.attention"; "" for that module itself.
  const std::shared_ptr<const std::string>& path() const;

 protected:
  /// A new parameter. Throws std::invalid_argument where the name is empty, taken or holds a dot.
  Variable add_parameter(const std::string& name, Tensor value);

  /// An existing parameter, used here too: weights are tied by sharing the Variable.
  Variable share_parameter(const std::string& name, const Variable& parameter);

  /// A generator that forward() draws from; this module owns it.
  Rng& add_generator(const std::string& name, const Rng& generator);

  /// A new child, built from `arguments`, which this module owns.
  template <typename Child, typename... Arguments>
  Child& add_module(const std::string& name, Arguments&&... arguments) {
    return own(name, std::make_unique<Child>(std::forward<Arguments>(arguments)...));
  }

  /// The same for a child whose type was chosen at run time.
  template <typename Child>
  Child& own(const std::string& name, std::unique_ptr<Child> child) {
    Child* const own_child = child.get();  // stays where it is: on the heap
    adopt(name, std::move(child));         // throws where there is none
    return *own_child;                     // cppcheck-suppress returnReference
  }

 private:
  void adopt(const std::string& name, std::unique_ptr<Module> child);
  void check_name(const std::string& name) const;
  void collect(const std::string& prefix, std::vector<NamedParameter>& found) const;
  void collect(const std::string& prefix, std::vector<NamedGenerator>& found) const;
  void set_training(bool training);
  void forget_path();

  // Parameters, generators and children in the order of their adding.
  struct Entry {
    std::string name;
    Variable parameter;                        // defined for a parameter
    std::unique_ptr<Module> child;             // set for a child
    std::unique_ptr<Rng> generator = nullptr;  // set for a generator
  };

  std::vector<Entry> entries_;
  const Module* parent_ = nullptr;
  std::string name_;
  bool training_ = true;
  mutable std::shared_ptr<const std::string> path_;  // computed when first asked for
};

/// While one lives, operations and errors carry the path of `module`. A module whose call does not
/// go through Layer::operator() opens its own.
class ModuleScope {
 public:
  explicit ModuleScope(const Module& module);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  std::shared_ptr<const std::string> before_;
};

/// A module that turns one Variable into another.
class Layer : public Module {
 public:
  /// What the layer computes.
  virtual Variable forward(const Variable& x) = 0;

  /// Calls forward, inside this module's scope.
  Variable operator()(const Variable& x) {
    const ModuleScope scope(*this);
    return forward(x);
  }
};

/// One line a parameter: name, shape, how many numbers, mean and deviation; the total below.
std::string parameter_table(const Module& module);

}  // namespace vitro::nn
