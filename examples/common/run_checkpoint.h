// RunCheckpoint: what lets a training program be stopped at any moment and gone on with later.
#pragma once

#include <string>

#include "nn/checkpoint.h"
#include "nn/optim/early_stop.h"
#include "nn/text/shuffled_order.h"

#include "examples/common/command_line.h"
#include "examples/common/training.h"

namespace vitro::examples {

/// With --resume: takes over the options of the run that wrote the checkpoint, but for those that
/// the user gives now. To be called after parse(). Throws UsageError where he gives one that would
/// make it another run, and what Checkpoint::open throws.
void take_resumed_options(CommandLine& command_line, const TrainingOptions& options);

/// What a run goes through besides its TrainingState; null where it has none.
struct RunPosition {
  nn::ShuffledOrder* order = nullptr;  ///< else batches are drawn from the state's generator
  nn::EarlyStop* early_stop = nullptr;
};

/// Stands beside a training loop:
///
///     RunCheckpoint checkpoint(command_line, options, "reverse", {model, optimizer, rng});
///     TrainingReport report(options, tokens_per_step, checkpoint.first_step());
///     for (Index step = checkpoint.first_step(); report.goes_on(step); ++step) {
///       …
///       report.update(step, loss.item());
///       checkpoint.after(step);
///     }
///     report.end();
///     if (checkpoint.was_stopped()) return checkpoint.say_how_to_go_on();
class RunCheckpoint {
 public:
  /// With --resume, `state` and `position` become what they were. `texts` go into the file, as do
  /// the user's options. The file is out_dir/NAME_checkpoint.safetensors.
  RunCheckpoint(const CommandLine& command_line, const TrainingOptions& options,
                const std::string& name, const nn::TrainingState& state,
                nn::CheckpointTexts texts = {}, const RunPosition& position = {});

  /// 1, or the step after the last one of the resumed run.
  Index first_step() const { return first_step_; }

  /// Saves after every checkpoint_interval steps, and where Ctrl+C asks for an end.
  void after(Index step);

  /// Whether Ctrl+C or SIGTERM came.
  bool was_stopped() const;

  /// Saves, unless that was done after the last step, and prints the command that resumes. Returns
  /// the exit code, 130 or 143.
  int say_how_to_go_on();

 private:
  void save();

  std::string command_;
  std::string path_;
  Index interval_;
  Index first_step_ = 1;
  Index last_step_ = 0;
  Index saved_step_ = -1;
  nn::TrainingState state_;
  nn::CheckpointTexts texts_;
  RunPosition position_;
};

}  // namespace vitro::examples
