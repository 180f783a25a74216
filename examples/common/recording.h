// --trace: one step of a program, recorded number by number, as a page for the browser.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/trace.h"

#include "nn/module.h"
#include "nn/optim/optimizer.h"

#include "examples/common/command_line.h"

namespace vitro::examples {

/// Adds --trace to a program's own options.
void add_trace_option(CommandLine& command_line, std::string& path);

/// Throws std::runtime_error or FileError, one line, where the page can not be written: to be asked
/// before the work that it shows. (prepare_training asks, too.)
void check_trace(const std::string& path);

/// What a page says of the program: its title and the options that the user gave or that have
/// defaults worth knowing.
struct RecordingOptions {
  std::string program;
  std::vector<std::pair<std::string, std::string>> configuration = {};
  std::vector<std::string> tokens = {};   ///< what stands at each position
  std::vector<std::string> classes = {};  ///< what the model chooses from
};

/// Collects what a training program has to show, and writes it at the end. Does nothing where
/// --trace was not given.
class StepRecording {
 public:
  StepRecording(std::string path, RecordingOptions options);

  bool is_wanted() const { return !path_.empty(); }

  /// Whether the attention after training step `step` is worth keeping: 1, 2, 3, 4, 6, 8, 11, …
  bool is_due(Index step) const;

  void add_snapshot(Index step, std::vector<Tensor> weights);

  /// The losses of the training steps from `first_step` on.
  void add_losses(Index first_step, const std::vector<double>& losses);

  /// Runs `body` (forward, or forward, backward and an optimizer's step) under a Trace and writes
  /// the page. Parameters of `model` (which may be null) get back the values that they had, so
  /// that the program goes on as it would without --trace.
  void record(const nn::Module* model, const std::function<void()>& body);

  /// The same for a whole training step: `loss` computes the loss of one example.
  void record_training(const nn::Module& model, nn::Optimizer& optimizer,
                       const std::function<Variable()>& loss);

 private:
  const std::string path_;
  const RecordingOptions options_;
  std::vector<std::pair<Index, std::vector<Tensor>>> snapshots_;
  Index first_step_ = 1;
  std::vector<double> losses_;
};

/// 0 … count - 1 as texts: labels.
std::vector<std::string> number_labels(Index count);
std::vector<std::string> number_labels(const std::vector<Index>& numbers);

}  // namespace vitro::examples
