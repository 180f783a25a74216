// Runs on whole sequences: encoder–decoder, classifier, recurrent network.
#include <utility>

#include "autograd/ops.h"

#include "nn/layers/recurrent.h"
#include "nn/models/encoder_decoder.h"
#include "nn/optim/adam.h"
#include "nn/optim/sgd.h"

#include "tests/training_runs/models.h"

namespace vitro::training_runs {
namespace {

constexpr Index kPadding = 0;
constexpr Index kBatch = 23;

// Random tokens from 1 on; each row ends in as many paddings as a draw below `most` says.
Indices padded_rows(Index time, Index vocab_size, Index most, Rng& rng) {
  std::vector<Index> ids;
  for (Index row = 0; row < kBatch; ++row) {
    const Index length = time - rng.below(most);
    for (Index i = 0; i < time; ++i) {
      ids.push_back(i < length ? 1 + rng.below(vocab_size - 1) : kPadding);
    }
  }
  return Indices({kBatch, time}, std::move(ids));
}

nn::EncoderOptions encoder_options(nn::PositionKind positions, nn::Activation activation) {
  return {.vocab_size = 41,
          .block_size = 29,
          .layer_count = 2,
          .block = {.channels = 72,
                    .head_count = 4,
                    .dropout = Scalar(0.1),
                    .norm_place = nn::NormPlace::kPost,
                    .activation = activation},
          .positions = positions,
          .padding = kPadding};
}

class EncoderDecoderRun : public TrainingRun {
 public:
  EncoderDecoderRun()
      : TrainingRun(5),
        model_({.source = encoder_options(nn::PositionKind::kSinusoidal, nn::Activation::kRelu),
                .target_vocab_size = 17,
                .target_block_size = 13,
                .decoder_layer_count = 2},
               rng_) {
    optimizer_ = std::make_unique<nn::Adam>(model_.named_parameters(), nn::AdamOptions{});
  }

  nn::Module& model() override { return model_; }

 protected:
  Variable next_loss() override {
    const Indices sources = padded_rows(29, 41, 11, rng_);
    const Indices inputs = padded_rows(13, 17, 1, rng_);
    const Indices targets = padded_rows(13, 17, 5, rng_);
    return cross_entropy(model_(sources, inputs), targets,
                         {.ignore_index = kPadding, .label_smoothing = Scalar(0.1)});
  }

 private:
  nn::EncoderDecoder model_;
};

class ClassifierRun : public TrainingRun {
 public:
  ClassifierRun()
      : TrainingRun(6),
        model_(encoder_options(nn::PositionKind::kRotary, nn::Activation::kGeluTanh), 7,
               nn::Labels::kWholeSequence, rng_) {
    optimizer_ = std::make_unique<nn::Sgd>(
        model_.named_parameters(),
        nn::SgdOptions{.momentum = Scalar(0.9), .weight_decay = Scalar(0.01)});
  }

  nn::Module& model() override { return model_; }

 protected:
  Variable next_loss() override {
    const Indices tokens = padded_rows(29, 41, 11, rng_);
    std::vector<Index> labels;
    for (Index row = 0; row < kBatch; ++row) {
      labels.push_back(tokens.values()[static_cast<std::size_t>(row * 29)] % 7);
    }
    return cross_entropy(model_(tokens), Indices({kBatch}, std::move(labels)));
  }

 private:
  nn::EncoderClassifier model_;
};

// Tells at the end which symbol came first.
class LastTeller : public nn::Module {
 public:
  LastTeller(Index symbol_count, Index width, Rng& rng)
      : symbols_(add_module<nn::Embedding>("symbols", symbol_count, width, rng)),
        recurrent_(add_module<nn::TanhRecurrent>("recurrent", width, width, rng)),
        head_(add_module<nn::Linear>("head", width, symbol_count, rng)) {}

  Variable operator()(const Indices& inputs) {  // [batch, time]
    const Variable h = recurrent_(symbols_(inputs));
    return head_(squeeze(narrow(h, 1, h.size(1) - 1, 1), 1));  // [batch, symbols]
  }

 private:
  nn::Embedding& symbols_;
  nn::TanhRecurrent& recurrent_;
  nn::Linear& head_;
};

class RecurrentRun : public TrainingRun {
 public:
  RecurrentRun() : TrainingRun(7), model_(11, 47, rng_) {
    optimizer_ = std::make_unique<nn::Adam>(model_.named_parameters(), nn::AdamOptions{});
  }

  nn::Module& model() override { return model_; }

 protected:
  Variable next_loss() override {
    const Indices tokens = padded_rows(19, 11, 1, rng_);
    std::vector<Index> first;
    for (Index row = 0; row < kBatch; ++row) {
      first.push_back(tokens.values()[static_cast<std::size_t>(row * 19)]);
    }
    return cross_entropy(model_(tokens), Indices({kBatch}, std::move(first)));
  }

 private:
  LastTeller model_;
};

}  // namespace

std::unique_ptr<TrainingRun> make_encoder_decoder() {
  return std::make_unique<EncoderDecoderRun>();
}

std::unique_ptr<TrainingRun> make_classifier() { return std::make_unique<ClassifierRun>(); }

std::unique_ptr<TrainingRun> make_recurrent() { return std::make_unique<RecurrentRun>(); }

}  // namespace vitro::training_runs
