// Sampling: choosing the next token from logits.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace vitro::nn {

struct SamplingOptions {
  Scalar temperature = 1;  ///< logits are divided by it; 0 means the most likely token, always
  Index top_k = 0;         ///< only the k most likely tokens; 0, or more than there are: all
  Scalar top_p = 1;        ///< only the likeliest tokens that together reach this probability
  Index stop_token = -1;   ///< generate() ends after it; -1: never
};

/// Throws std::invalid_argument for a negative or non-finite temperature, a negative top_k, or a
/// top_p not from above 0 to 1.
void check_sampling(const SamplingOptions& options);

/// A token id drawn from softmax(logits / temperature), restricted to top_k and then to top_p. Of
/// equal logits the lower id counts as likelier. Throws ShapeError unless logits is [vocab],
/// std::invalid_argument for a negative or non-finite temperature, a negative top_k, a top_p not
/// from above 0 to 1, or logits that hold NaN or no finite number.
Index sample(const Tensor& logits, const SamplingOptions& options, Rng& rng);

}  // namespace vitro::nn
