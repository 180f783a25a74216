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
  loss_.add(static_cast<double>(batch_mean.item()), tokens);
  if (tokens > 0) (batch_mean * static_cast<Scalar>(tokens)).backward();
}

double GradientAccumulation::finish(const std::vector<NamedParameter>& parameters) {
  const double mean = loss_.mean();
  const auto tokens = static_cast<Scalar>(loss_.tokens());
  loss_ = TokenMean();
  if (tokens == 0) return mean;
  for (const NamedParameter& parameter : parameters) {
    const Variable& variable = parameter.variable;
    if (variable.has_grad()) variable.set_grad(variable.grad() / tokens);
  }
  return mean;
}

}  // namespace vitro::nn
