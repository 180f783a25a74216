// What all training programs share around their loops: options, reports, a way to stop.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/scalar.h"

#include "autograd/profile.h"

#include "nn/optim/early_stop.h"

#include "examples/common/command_line.h"
#include "examples/common/loss_curve.h"
#include "examples/common/progress.h"
#include "examples/common/run_log.h"

namespace vitro::examples {

struct TrainingOptions {
  Index max_iters = 100;
  Index batch_size = 64;
  Index grad_accum = 1;
  double learning_rate = 0.01;
  Index eval_interval = 10;
  Index patience = 0;
  Index seed = 1;
  Index threads = 0;
  bool quick = false;
  bool profile = false;
  std::string save = {}, load = {}, resume = {}, log = {}, csv = {};
  std::string trace = {};
  Index checkpoint_interval = 0;
  std::string out_dir = "out";
  std::string color = "auto";
};

/// Adds them to a program's own. Their present values are the defaults. `load_help` says what the
/// program does with saved weights.
void add_training_options(CommandLine& command_line, TrainingOptions& options,
                          const std::string& load_help);

/// Parts of them, for programs that train too little, or too many models, to need the rest:
/// max_iters from `least_steps`, batch_size, learning_rate;
void add_step_options(CommandLine& command_line, TrainingOptions& options, Index least_steps);
/// seed, threads, quick;
void add_run_options(CommandLine& command_line, TrainingOptions& options);
/// log, csv, of which `line` is a line;
void add_log_options(CommandLine& command_line, TrainingOptions& options, const std::string& line);
/// save, load;
void add_weight_options(CommandLine& command_line, TrainingOptions& options,
                        const std::string& load_help);
/// out_dir.
void add_picture_options(CommandLine& command_line, TrainingOptions& options);

/// grad_accum, for programs whose loop adds up that many batches before each step.
void add_accumulation_option(CommandLine& command_line, TrainingOptions& options);

/// patience, for programs whose loop ends with early_stop(options).
void add_patience_option(CommandLine& command_line, TrainingOptions& options);

/// Of as many evaluations as options.patience says; where that is 0 it is never over.
nn::EarlyStop early_stop(const TrainingOptions& options);

/// Options and the files that they name, to be read from.
using Inputs = std::vector<std::pair<std::string, std::string>>;

/// Sets the number of threads and makes out_dir, if there is one. Throws std::runtime_error, one
/// line, where a file that the options name can not be written, or is one of `inputs` or of each
/// other: before any work is done. (Weights that are trained on may be saved where they were loaded
/// from.)
void prepare_training(const TrainingOptions& options, const Inputs& inputs = {});

/// Prints a program's outcome on a line of its own, "result: exact_match = 0.998", for people and
/// for programs that read it.
void show_result(const std::string& name, double value);

/// Takes note of each step's loss: progress on stderr, the log files, and the curve afterwards.
class TrainingReport {
 public:
  /// Starts the log files, or goes on with them where the first step is not 1, and catches Ctrl+C
  /// from now on. Throws std::runtime_error, one line, where a file cannot be written.
  TrainingReport(const TrainingOptions& options, Index tokens_per_step, Index first_step = 1);

  /// Whether there is a step `step`: until max_iters, or Ctrl+C.
  bool goes_on(Index step) const;

  /// Ends the progress line; from now on Ctrl+C ends the program at once, as if nobody caught it.
  /// To be called behind the loop, before anything else is printed.
  void end();

  /// Throws std::runtime_error where the loss is no number.
  void update(Index step, Scalar loss);

  /// Prints what the model loses on data that it does not train on, and where `early_stop` finds
  /// that this was bad once too often, that the training ends.
  void validate(Index step, double loss, nn::EarlyStop& early_stop);

  /// Of all steps so far, from first_step() on.
  const std::vector<double>& losses() const { return losses_; }

  Index first_step() const { return first_step_; }

  /// Prints the first and the last loss beside ln class_count, what pure guessing has, and the
  /// curve; draws it as out_dir/NAME_loss.svg.
  void show_losses(Index class_count, const std::string& name);

 private:
  TrainingOptions options_;
  Index first_step_;
  RunLog log_;
  std::unique_ptr<Profile> profile_;  // null without --profile
  Progress progress_;
  std::vector<double> losses_;
  Curve validation_{"validation", {}, {}};
};

}  // namespace vitro::examples
