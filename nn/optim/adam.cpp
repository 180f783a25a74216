#include "nn/optim/adam.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/kernels/adam.h"
#include "tensor/parallel.h"

#include "nn/optim/step_watch.h"

namespace vitro::nn {
namespace {

constexpr Index kGrain = 32768;  // elements: fewer are done sooner than handed over

void check_beta(Scalar beta, const char* name) {
  if (!(beta >= 0 && beta < 1)) {
    throw_invalid({"Adam: ", name, " is ", beta, "; it must be from 0 to below 1"});
  }
}

// One parameter's numbers, which start at `start` in the row of all.
struct Part {
  kernels::AdamStep step;
  std::size_t parameter;  // which one
  Index start;
  Index count;
  const Scalar* grad;
  Scalar* value;
  Scalar* first;
  Scalar* second;

  /// Its elements from begin to end, as far as it has them.
  void update(Index begin, Index end) const {
    begin = std::max<Index>(begin, 0);
    end = std::min(end, count);
    if (begin < end) {
      kernels::adam_update(step, grad + begin, value + begin, first + begin, second + begin,
                           end - begin);
    }
  }
};

// What a move depends on besides the gradient, for who watches.
Attributes settings(const kernels::AdamStep& step, const Tensor& first, const Tensor& second) {
  return {{"step_size", double(step.step_size)},
          {"inverse_sqrt_correction", double(step.inverse_sqrt_correction)},
          {"epsilon", double(step.epsilon)},
          {"kept", double(step.kept)},
          {"first_moment", first},
          {"second_moment", second}};
}

std::vector<NamedParameter> joined(const std::vector<ParameterGroup>& groups) {
  std::vector<NamedParameter> all;
  for (const ParameterGroup& group : groups) {
    all.insert(all.end(), group.parameters.begin(), group.parameters.end());
  }
  return all;
}

}  // namespace

Adam::Adam(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate),
      weight_decays_(parameters_.size(), Scalar(0)),
      options_(options),
      first_moments_(zeros_like_parameters()),
      second_moments_(zeros_like_parameters()) {
  check_beta(options.beta1, "beta1");
  check_beta(options.beta2, "beta2");
  if (!(options.epsilon >= 0) || !std::isfinite(options.epsilon)) {
    throw_invalid(
        {"Adam: epsilon is ", options.epsilon, "; it must be a finite number, 0 or more"});
  }
}

void Adam::step() {
  const double beta1_power = beta1_power_ * static_cast<double>(options_.beta1);
  const double beta2_power = beta2_power_ * static_cast<double>(options_.beta2);
  kernels::AdamStep constants{};
  constants.beta1 = options_.beta1;
  constants.beta2 = options_.beta2;
  constants.epsilon = options_.epsilon;
  constants.step_size =
      static_cast<Scalar>(static_cast<double>(learning_rate()) / (1 - beta1_power));
  constants.inverse_sqrt_correction = static_cast<Scalar>(1 / std::sqrt(1 - beta2_power));
  // All parameters lie end to end for the threads: each takes a stretch of the whole row, so that
  // many small ones cost no more than a large one.
  std::vector<Part> parts;
  std::vector<Tensor> grads;  // keeps copies alive
  std::vector<StepWatch> watches;
  Index total = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Variable& parameter = parameters_[i].variable;
    if (!parameter.has_grad()) continue;
    watches.emplace_back("adam", parameters_[i]);
    grads.push_back(contiguous(parameter.grad()));
    kernels::AdamStep own = constants;
    own.kept = 1 - learning_rate() * weight_decays_[i];
    parts.push_back({own, i, total, grads.back().element_count(), grads.back().data(),
                     parameter.mutable_data(), first_moments_[i].mutable_data(),
                     second_moments_[i].mutable_data()});
    total += parts.back().count;
  }
  parallel_for(0, total, kGrain, [&parts](Index begin, Index end) {
    for (const Part& part : parts) part.update(begin - part.start, end - part.start);
  });
  ++step_count_;  // only now: where memory ran out before, the step can be taken again
  beta1_power_ = beta1_power;
  beta2_power_ = beta2_power;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t i = parts[k].parameter;
    watches[k].done(grads[k],
                    [&] { return settings(parts[k].step, first_moments_[i], second_moments_[i]); });
  }
}

std::string Adam::description() const {
  // Which tensors decay by how much: "0.1 x 26, 0 x 24".
  std::string decays;
  for (std::size_t begin = 0; begin < weight_decays_.size();) {
    std::size_t end = begin;
    while (end < weight_decays_.size() && weight_decays_[end] == weight_decays_[begin]) ++end;
    decays += join_text({begin == 0 ? "" : ", ", weight_decays_[begin], " x ", end - begin});
    begin = end;
  }
  return join_text({"Adam beta1=", options_.beta1, " beta2=", options_.beta2,
                    " epsilon=", options_.epsilon, " weight_decay=", decays});
}

std::vector<OptimizerTensors> Adam::tensors() {
  return {{"first_moment", &first_moments_},
          {"second_moment", &second_moments_, Sign::kNotNegative}};
}

void Adam::set_step_count(Index count) {
  if (count < 0) throw_invalid({"Adam: step count ", count, "; it must be 0 or more"});
  step_count_ = count;
  beta1_power_ = 1;
  beta2_power_ = 1;
  for (Index i = 0; i < count; ++i) {  // the same products as step() made, so the same bits
    beta1_power_ *= static_cast<double>(options_.beta1);
    beta2_power_ *= static_cast<double>(options_.beta2);
  }
}

AdamW::AdamW(const std::vector<ParameterGroup>& groups, const AdamOptions& options)
    : Adam(joined(groups), options) {
  weight_decays_.clear();
  for (const ParameterGroup& group : groups) {
    if (!(group.weight_decay >= 0) || !std::isfinite(group.weight_decay)) {
      throw_invalid({"AdamW: weight_decay is ", group.weight_decay,
                     "; it must be a finite number, 0 or more"});
    }
    weight_decays_.insert(weight_decays_.end(), group.parameters.size(), group.weight_decay);
  }
}

std::vector<ParameterGroup> decay_groups(const Module& module, Scalar weight_decay) {
  ParameterGroup decaying{{}, weight_decay};
  ParameterGroup constant{{}, 0};
  for (const NamedParameter& parameter : module.named_parameters()) {
    (parameter.variable.rank() >= 2 ? decaying : constant).parameters.push_back(parameter);
  }
  return {decaying, constant};
}

std::string decay_text(const std::vector<ParameterGroup>& groups) {
  Index tensors = 0, decaying_tensors = 0, numbers = 0, decaying_numbers = 0;
  for (const ParameterGroup& group : groups) {
    for (const NamedParameter& parameter : group.parameters) {
      const Index count = parameter.variable.shape().element_count();
      tensors += 1;
      numbers += count;
      if (group.weight_decay == 0) continue;
      decaying_tensors += 1;
      decaying_numbers += count;
    }
  }
  return join_text({decaying_tensors, " of ", tensors, " tensors (", decaying_numbers, " of ",
                    numbers, " numbers) decay"});
}

}  // namespace vitro::nn
