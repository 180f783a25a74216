// A run through the operations that models seldom use.
#include <utility>

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/optim/adam.h"

#include "tests/training_runs/models.h"

namespace vitro::training_runs {
namespace {

constexpr Index kTime = 19;
constexpr Index kWidth = 34;

class Operations : public nn::Module {
 public:
  explicit Operations(Rng& rng)
      : rng_(add_generator("rng", Rng(9))),
        table_(add_parameter("table", normal({7, 13}, 0, 1, rng))),
        w_(add_parameter("w", normal({13, kWidth}, 0, Scalar(0.5), rng))),
        bias_(add_parameter("bias", normal({kWidth}, 0, 1, rng))),
        gain_(add_parameter("gain", uniform({kWidth}, Scalar(0.5), Scalar(1.5), rng))) {}

  Variable operator()(const Indices& ids) {     // [batch, time]
    const Variable x = embedding(table_, ids);  // [batch, time, 13]
    const Variable y = linear(x, w_, bias_);    // [batch, time, width]
    std::vector<Variable> parts = elementwise(y);
    for (Variable& part : over_axes(y)) parts.push_back(std::move(part));
    for (Variable& part : reshaped(y)) parts.push_back(std::move(part));
    Variable total = mean_squared_error(y, masked_fill(y, mask(y), Scalar(0.5)));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto weight = Scalar(1) / static_cast<Scalar>(i + 1);
      total = total + weight * mean(parts[i] * parts[i]);
    }
    return total;
  }

 private:
  // 1 at about every third place.
  Tensor mask(const Variable& y) {
    Tensor result = zeros(y.shape());
    Scalar* const numbers = result.mutable_data();
    for (Index i = 0; i < result.element_count(); ++i) numbers[i] = rng_.below(3) == 0 ? 1 : 0;
    return result;
  }

  std::vector<Variable> elementwise(const Variable& y) {
    const Variable positive = abs(y) + Scalar(0.5);
    return {exp(clamp(y, -2, 1)),
            log(positive),
            sqrt(positive),
            pow(positive, Scalar(1.7)),
            pow(y, 3),
            sigmoid(y),
            silu(y),
            gelu(y, Gelu::kErf),
            gelu(y, Gelu::kTanh),
            relu(y),
            tanh(y),
            maximum(y, gain_),
            minimum(-y, bias_),
            where(mask(y), y, gain_ - y),
            bias_ / positive,
            dropout(y, Scalar(0.25), rng_)};
  }

  std::vector<Variable> over_axes(const Variable& y) {
    const Variable centred = y - mean(y, {1}, KeepAxes::kYes);
    return {softmax(y, 1),
            log_softmax(y, -1),
            layer_norm(y, gain_, bias_),
            rms_norm(y, gain_),
            stack({sum(y, {0, 1}), var(y, {0, 1}), max(y, {0, 1})}, 0),  // [3, width]
            centred / sqrt(var(y, {1}, KeepAxes::kYes) + Scalar(0.01))};
  }

  std::vector<Variable> reshaped(const Variable& y) {
    const Index batch = y.size(0);
    const Variable turned = rotary(view(y, {batch, kTime, kWidth}));
    const Variable scores = matmul(turned, transpose(turned, 1, 2));  // [batch, time, time]
    AttentionMask causal;
    causal.causal = true;
    const Variable q = narrow(y, 2, 0, 11);
    const Variable k = narrow(y, 2, 11, 11);
    const Variable v = narrow(y, 2, 22, 12);
    const Indices picks({1, 2, kWidth}, picked_rows());
    return {matmul(softmax(mask_scores(scores, causal), -1), v),
            matmul(attention_weights(q, k, causal), v),
            scaled_dot_product_attention(q, k, v, causal),
            permute(cat({q, v}, 2), {2, 0, 1}) * Scalar(0.5),
            gather(narrow(y, 0, 0, 1), 1, picks),
            reshape(squeeze(unsqueeze(y, 1), 1), {batch * kTime, kWidth}) + bias_,
            broadcast_to(gain_, {5, kWidth})};
  }

  // Some rows twice.
  std::vector<Index> picked_rows() {
    std::vector<Index> ids;
    for (Index i = 0; i < 2 * kWidth; ++i) ids.push_back(rng_.below(kTime));
    return ids;
  }

  Rng& rng_;
  const Variable table_;  // [7, 13]
  const Variable w_;      // [13, width]
  const Variable bias_;   // [width]
  const Variable gain_;   // [width]
};

class OperationsRun : public TrainingRun {
 public:
  OperationsRun() : TrainingRun(8), model_(rng_) {
    optimizer_ = std::make_unique<nn::Adam>(model_.named_parameters(), nn::AdamOptions{});
  }

  nn::Module& model() override { return model_; }

 protected:
  Variable next_loss() override {
    std::vector<Index> ids;
    for (Index i = 0; i < 11 * kTime; ++i) ids.push_back(rng_.below(7));
    return model_(Indices({11, kTime}, std::move(ids)));
  }

 private:
  Operations model_;
};

}  // namespace

std::unique_ptr<TrainingRun> make_operations() { return std::make_unique<OperationsRun>(); }

}  // namespace vitro::training_runs
