#include "nn/optim/accumulate.h"

#include <algorithm>

#include "tensor/arithmetic.h"

#include "autograd/ops.h"

namespace vitro::nn {

Index counted_tokens(const Indices& targets, Index ignore_index) {
  const std::vector<Index>& values = targets.values();
  return static_cast<Index>(values.size()) -
         static_cast<Index>(std::count(values.begin(), values.end(), ignore_index));
}

void TokenMean::add(double batch_mean, Index tokens) {
  if (tokens < 0) throw_invalid({"TokenMean: ", tokens, " tokens; there must be 0 or more"});
  if (tokens == 0) return;
  sum_ += batch_mean * static_cast<double>(tokens);
  tokens_ += tokens;
}

double TokenMean::mean() const { return tokens_ == 0 ? 0 : sum_ / static_cast<double>(tokens_); }

void GradientAccumulation::add(const Variable& batch_mean, Index tokens) {
  if (tokens < 0) {
    throw_invalid({"GradientAccumulation: ", tokens, " tokens; there must be 0 or more"});
  }
  if (tokens == 0) return;
  const Index unit = unit_ == 0 ? tokens : unit_;
  const double weight = static_cast<double>(tokens) / static_cast<double>(unit);
  const auto mean = static_cast<double>(batch_mean.item());
  (weight == 1 ? batch_mean : batch_mean * static_cast<Scalar>(weight)).backward();
  unit_ = unit;  // only now: a batch that threw does not count
  weight_ += weight;
  loss_ += weight * mean;
}

double GradientAccumulation::finish(const std::vector<NamedParameter>& parameters) {
  if (unit_ == 0) return 0;
  const auto weight = static_cast<Scalar>(weight_);
  const double mean = loss_ / weight_;
  *this = GradientAccumulation();
  if (weight == 1) return mean;
  for (const NamedParameter& parameter : parameters) {
    const Variable& variable = parameter.variable;
    if (variable.has_grad()) variable.set_grad(variable.grad() / weight);
  }
  return mean;
}

}  // namespace vitro::nn
