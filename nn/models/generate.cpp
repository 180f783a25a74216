#include "nn/models/generate.h"

#include <algorithm>

#include "tensor/views.h"

#include "autograd/no_grad.h"

namespace vitro::nn {
namespace {

// Evaluation mode while one lives.
class EvalScope {
 public:
  explicit EvalScope(Module& module) : module_(module), was_training_(module.is_training()) {
    module_.eval();
  }

  EvalScope(const EvalScope&) = delete;
  EvalScope& operator=(const EvalScope&) = delete;

  ~EvalScope() {
    if (was_training_) module_.train();
  }

 private:
  Module& module_;
  const bool was_training_;
};

// What the model sees of the tokens so far. Cutting a full window to half of it, and not by one
// token a step, leaves room for a cache: most steps then only add to what was seen before.
void cut_window(std::vector<Index>& window, Index block_size) {
  if (static_cast<Index>(window.size()) <= block_size) return;
  const Index kept = std::max<Index>(1, block_size / 2);
  window.erase(window.begin(), window.end() - kept);
}

}  // namespace

std::vector<Index> generate(Gpt& model, const std::vector<Index>& prompt, Index count,
                            const SamplingOptions& options, Rng& rng) {
  if (prompt.empty()) throw_invalid({"generate: the prompt is empty; give at least one token"});
  if (count < 0) throw_invalid({"generate: count is ", count, "; it must be 0 or more"});
  const NoGrad no_grad;
  const EvalScope evaluation(model);
  std::vector<Index> tokens = prompt;
  std::vector<Index> window = prompt;
  for (Index i = 0; i < count; ++i) {
    cut_window(window, model.options().block_size);
    const auto time = static_cast<Index>(window.size());
    const Variable logits = model(Indices({1, time}, window));   // [1, time, vocab]
    const Tensor last = narrow(logits.value(), 1, time - 1, 1);  // [1, 1, vocab]
    const Index token = sample(reshape(last, {-1}), options, rng);
    tokens.push_back(token);
    window.push_back(token);
  }
  return tokens;
}

}  // namespace vitro::nn
