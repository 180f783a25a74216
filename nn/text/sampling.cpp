#include "nn/text/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tensor/math.h"

namespace vitro::nn {
namespace {

void check_logits(const Tensor& logits, const std::vector<Scalar>& values) {
  if (logits.rank() != 1 || logits.element_count() == 0) {
    throw ShapeError({"sample: logits are ", logits.shape(), "; they must be [vocab]"});
  }
  const auto is_none = [](Scalar value) {
    return std::isnan(value) || (value > 0 && std::isinf(value));
  };
  const auto found = std::find_if(values.begin(), values.end(), is_none);
  if (found != values.end()) {
    throw_invalid({"sample: the logit of id ", static_cast<Index>(found - values.begin()), " is ",
                   *found, "; a logit must not be NaN or +inf"});
  }
  if (std::isinf(*std::max_element(values.begin(), values.end()))) {
    throw_invalid({"sample: all ", values.size(), " logits are -inf; one must be finite"});
  }
}

// The ids, likeliest first; equal ones by id.
std::vector<Index> ids_by_logit(const std::vector<Scalar>& logits) {
  std::vector<Index> ids(logits.size());
  std::iota(ids.begin(), ids.end(), Index{0});
  std::stable_sort(ids.begin(), ids.end(), [&logits](Index a, Index b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  return ids;
}

}  // namespace

void check_sampling(const SamplingOptions& options) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    throw_invalid({"sample: temperature is ", options.temperature,
                   "; it must be a finite number, 0 (greedy) or more"});
  }
  if (options.top_k < 0) {
    throw_invalid({"sample: top_k is ", options.top_k, "; it must be 1 or more, or 0 for all"});
  }
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    throw_invalid({"sample: top_p is ", options.top_p, "; it must be above 0 and at most 1"});
  }
}

Index sample(const Tensor& logits, const SamplingOptions& options, Rng& rng) {
  check_sampling(options);
  const std::vector<Scalar> values = logits.to_vector();
  check_logits(logits, values);
  std::vector<Index> ids = ids_by_logit(values);
  if (options.temperature == 0) return ids.front();
  if (options.top_k > 0 && options.top_k < static_cast<Index>(ids.size())) {
    ids.resize(static_cast<std::size_t>(options.top_k));
  }
  // Weights relative to the largest, so that exp neither overflows nor loses the likeliest token.
  const auto largest = static_cast<double>(values[static_cast<std::size_t>(ids.front())]);
  std::vector<double> weights;
  for (const Index id : ids) {
    const auto logit = static_cast<double>(values[static_cast<std::size_t>(id)]);
    weights.push_back(math::exp((logit - largest) / static_cast<double>(options.temperature)));
  }
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t kept = 0;
  double total = 0;
  while (kept < weights.size() && weights[kept] > 0 &&
         (kept == 0 || total < static_cast<double>(options.top_p) * all)) {
    total += weights[kept++];
  }
  const double draw = rng.uniform() * total;
  double reached = 0;
  for (std::size_t i = 0; i + 1 < kept; ++i) {
    reached += weights[i];
    if (draw < reached) return ids[i];
  }
  return ids[kept - 1];  // also where rounding left the sum below the draw
}

}  // namespace vitro::nn
