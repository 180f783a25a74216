// Checkpoints: a training run in one file, to be gone on with as if it had never stopped.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "tensor/files/safetensors.h"
#include "tensor/random.h"

#include "nn/module.h"
#include "nn/optim/optimizer.h"

namespace vitro::nn {

/// What changes while a model trains. With the same code and options after them, the next step
/// depends on nothing else, so a resumed run ends with the same bits as one that never stopped.
struct TrainingState {
  const Module& model;   ///< its parameters, and the generators of its dropout
  Optimizer& optimizer;  ///< its tensors, step count and learning rate
  Rng& rng;              ///< what the batches are drawn from
};

/// Texts of the program's own: its configuration, tokenizer, position in the data.
using CheckpointTexts = std::map<std::string, std::string>;

/// Writes a safetensors file, whole or not at all: the parameters under their names, the
/// optimizer's tensors as "optimizer.first_moment.NAME", the rest as metadata beside `texts`.
/// `step` is the last one made. Throws FileError, and std::invalid_argument where a text's name is
/// one of the checkpoint's own.
void save_checkpoint(const std::string& path, const TrainingState& state, Index step,
                     const CheckpointTexts& texts = {});

/// An open checkpoint.
class Checkpoint {
 public:
  /// Throws FileError for a missing or damaged file, std::invalid_argument for one that is no
  /// checkpoint: weights alone cannot be resumed, only trained on.
  static Checkpoint open(const std::string& path);

  /// The last step made.
  Index step() const { return step_; }

  /// Whether there is a text of that name.
  bool has_text(const std::string& name) const { return file_.metadata().contains(name); }

  /// A text of the program's own. Throws std::invalid_argument where there is none of that name.
  const std::string& text(const std::string& name) const;

  /// Overwrites everything in `state`. Throws std::invalid_argument where the model's parameters or
  /// the optimizer's description are not those of the file, a text of its own is damaged, or a
  /// weight or a moment is NaN or infinite or a mean of squares negative; nothing is changed then.
  /// Until its end the optimizer's tensors are held twice.
  void restore(const TrainingState& state) const;

 private:
  explicit Checkpoint(SafetensorsFile file);

  void check_tensor(const std::string& name, const Shape& shape) const;
  void check_numbers(const std::string& name, const Tensor& values, Sign sign) const;
  std::vector<Tensor> read(const OptimizerTensors& kind,
                           const std::vector<NamedParameter>& parameters) const;
  Rng generator(const std::string& name) const;
  Scalar learning_rate() const;
  Index count(const std::string& name) const;
  [[noreturn]] void fail(std::initializer_list<TextPiece> pieces) const;

  SafetensorsFile file_;
  Index step_ = 0;
};

}  // namespace vitro::nn
