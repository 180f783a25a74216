#include "nn/module.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tensor/context.h"
#include "tensor/print.h"
#include "tensor/reduce.h"

namespace vitro::nn {

std::vector<NamedParameter> Module::named_parameters() const {
  std::vector<NamedParameter> found;
  collect("", found);
  std::set<const Node*> seen;
  const auto repeated = [&seen](const NamedParameter& parameter) {
    return !seen.insert(parameter.variable.shared_node().get()).second;
  };
  found.erase(std::remove_if(found.begin(), found.end(), repeated), found.end());
  return found;
}

void Module::collect(const std::string& prefix, std::vector<NamedParameter>& found) const {
  for (const Entry& entry : entries_) {
    if (entry.child != nullptr) {
      entry.child->collect(prefix + entry.name + ".", found);
    } else if (entry.generator == nullptr) {
      found.push_back({prefix + entry.name, entry.parameter});
    }
  }
}

std::vector<NamedGenerator> Module::named_generators() const {
  std::vector<NamedGenerator> found;
  collect("", found);
  return found;
}

void Module::collect(const std::string& prefix, std::vector<NamedGenerator>& found) const {
  for (const Entry& entry : entries_) {
    if (entry.child != nullptr) {
      entry.child->collect(prefix + entry.name + ".", found);
    } else if (entry.generator != nullptr) {
      found.push_back({prefix + entry.name, entry.generator.get()});
    }
  }
}

std::vector<Variable> Module::parameters() const {
  std::vector<Variable> variables;
  for (NamedParameter& parameter : named_parameters()) {
    variables.push_back(std::move(parameter.variable));
  }
  return variables;
}

std::vector<Module*> Module::children() {
  std::vector<Module*> found;
  for (const Entry& entry : entries_) {
    if (entry.child != nullptr) found.push_back(entry.child.get());
  }
  return found;
}

Index Module::parameter_count() const {
  Index count = 0;
  for (const Variable& parameter : parameters()) count += parameter.shape().element_count();
  return count;
}

void Module::zero_grad() const {
  for (const Variable& parameter : parameters()) parameter.zero_grad();
}

void Module::set_training(bool training) {
  training_ = training;
  for (Entry& entry : entries_) {
    if (entry.child != nullptr) entry.child->set_training(training);
  }
}

const std::shared_ptr<const std::string>& Module::path() const {
  if (path_ == nullptr) {
    std::string text;
    for (const Module* module = this; module->parent_ != nullptr; module = module->parent_) {
      text = text.empty() ? module->name_ : module->name_ + "." + text;
    }
    path_ = std::make_shared<const std::string>(std::move(text));
  }
  return path_;
}

void Module::forget_path() {
  path_ = nullptr;
  for (Entry& entry : entries_) {
    if (entry.child != nullptr) entry.child->forget_path();
  }
}

Variable Module::add_parameter(const std::string& name, Tensor value) {
  return share_parameter(name, parameter(std::move(value), name));
}

Variable Module::share_parameter(const std::string& name, const Variable& parameter) {
  check_name(name);
  if (!parameter.is_defined() || !parameter.requires_grad() ||
      parameter.shared_node()->operation != nullptr) {
    throw_invalid({"Module: what is shared as '", name,
                   "' is no parameter; pass what add_parameter returned"});
  }
  entries_.push_back({name, parameter, nullptr});
  return parameter;
}

Rng& Module::add_generator(const std::string& name, const Rng& generator) {
  check_name(name);
  entries_.push_back({name, Variable(), nullptr, std::make_unique<Rng>(generator)});
  return *entries_.back().generator;
}

void Module::adopt(const std::string& name, std::unique_ptr<Module> child) {
  check_name(name);
  if (child == nullptr) throw_invalid({"Module: there is no module for '", name, "'; pass one"});
  child->parent_ = this;
  child->name_ = name;
  child->forget_path();
  entries_.push_back({name, Variable(), std::move(child)});
}

void Module::check_name(const std::string& name) const {
  if (name.empty() || name.find('.') != std::string::npos) {
    throw_invalid({"Module: '", name, "' is no name; it must not be empty nor hold a dot"});
  }
  for (const Entry& entry : entries_) {
    if (entry.name == name) {
      throw_invalid({"Module: there is a '", name, "' already; give each part a name of its own"});
    }
  }
}

ModuleScope::ModuleScope(const Module& module)
    : before_(std::exchange(context().module_path, module.path())) {}

ModuleScope::~ModuleScope() { context().module_path = std::move(before_); }

namespace {

std::string spaces(std::size_t width, const std::string& text) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string left_aligned(const std::string& text, std::size_t width) {
  return text + spaces(width, text);
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return spaces(width, text) + text;
}

}  // namespace

std::string parameter_table(const Module& module) {
  const std::vector<NamedParameter> parameters = module.named_parameters();
  std::size_t name_width = 9;
  std::size_t shape_width = 5;
  for (const NamedParameter& parameter : parameters) {
    name_width = std::max(name_width, parameter.name.size());
    shape_width = std::max(shape_width, parameter.variable.shape().to_string().size());
  }
  std::string table = left_aligned("parameter", name_width) + "  " +
                      left_aligned("shape", shape_width) + "     numbers      mean  deviation\n";
  for (const auto& [name, variable] : parameters) {
    const Tensor& value = variable.value();
    const auto mean_value = static_cast<double>(mean(value).item());
    const auto stddev = std::sqrt(static_cast<double>(var(value).item()));
    table += left_aligned(name, name_width) + "  " +
             left_aligned(value.shape().to_string(), shape_width) + " " +
             right_aligned(join_text({value.element_count()}), 11) + "  " +
             right_aligned(number_text(mean_value, 4), 8) + " " +
             right_aligned(number_text(stddev, 4), 10) + "\n";
  }
  return table +
         join_text({module.parameter_count(), " numbers in ", parameters.size(), " parameters\n"});
}

}  // namespace vitro::nn
