#include "examples/common/training.h"

#include <cmath>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "tensor/error.h"
#include "tensor/files/atomic_file.h"
#include "tensor/math.h"
#include "tensor/parallel.h"
#include "tensor/pictures/glyphs.h"
#include "tensor/print.h"

#include "examples/common/interrupt.h"
#include "examples/common/loss_curve.h"
#include "examples/common/output_file.h"
#include "examples/common/recording.h"
#include "examples/common/terminal.h"

namespace vitro::examples {
namespace {

ProgressOptions progress_options(const TrainingOptions& options, Index tokens_per_step,
                                 Index first_step) {
  const TerminalState terminal = terminal_state(OutputStream::kError);
  return {.step_count = options.max_iters,
          .first_step = first_step,
          .tokens_per_step = tokens_per_step,
          .interval = options.eval_interval,
          .is_terminal = terminal.is_terminal,
          .has_color = choose_color(options.color, terminal) != TerminalColor::kNone};
}

}  // namespace

void add_training_options(CommandLine& command_line, TrainingOptions& options,
                          const std::string& load_help) {
  add_step_options(command_line, options, /*least_steps=*/0);
  command_line.integer("eval_interval", options.eval_interval, 1, 1'000'000,
                       "steps between two reports");
  add_run_options(command_line, options);
  add_weight_options(command_line, options, load_help);
  command_line.text("resume", options.resume, "FILE",
                    "goes on with a run that was stopped, from its checkpoint");
  command_line.integer("checkpoint_interval", options.checkpoint_interval, 0, 1'000'000,
                       "steps between two checkpoints in out_dir; 0: only on Ctrl+C");
  add_log_options(command_line, options, "a step");
  add_picture_options(command_line, options);
  command_line.flag("profile", options.profile, "prints where the time and memory of a step go");
  add_trace_option(command_line, options.trace);
  add_color_option(command_line, options.color);
}

void add_step_options(CommandLine& command_line, TrainingOptions& options, Index least_steps) {
  command_line.integer("max_iters", options.max_iters, least_steps, 1'000'000, "training steps",
                       {"steps"});
  command_line.integer("batch_size", options.batch_size, 1, 65'536, "sequences a step");
  command_line.number("learning_rate", options.learning_rate, 0, 10, "how far a step goes");
}

void add_run_options(CommandLine& command_line, TrainingOptions& options) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  command_line.integer("seed", options.seed, 0, largest, "the same seed gives the same numbers");
  command_line.integer("threads", options.threads, 0, 1024, "0: as many as there are cores");
  command_line.flag("quick", options.quick, "the same path, shorter");
}

void add_log_options(CommandLine& command_line, TrainingOptions& options, const std::string& line) {
  command_line.text("log", options.log, "FILE", "writes a line of JSON " + line);
  command_line.text("csv", options.csv, "FILE", "writes the same as a table");
}

void add_weight_options(CommandLine& command_line, TrainingOptions& options,
                        const std::string& load_help) {
  command_line.text("save", options.save, "FILE", "writes the trained weights (safetensors)");
  command_line.text("load", options.load, "FILE", load_help);
}

void add_picture_options(CommandLine& command_line, TrainingOptions& options) {
  command_line.text("out_dir", options.out_dir, "DIR", "where the pictures go");
}

void add_accumulation_option(CommandLine& command_line, TrainingOptions& options) {
  command_line.integer("grad_accum", options.grad_accum, 1, 65'536,
                       "batches added up for a step, as if they were one: for those too large for "
                       "memory",
                       {"gradient_accumulation_steps"});
}

void add_patience_option(CommandLine& command_line, TrainingOptions& options) {
  command_line.integer("patience", options.patience, 0, 1'000'000,
                       "ends after so many evaluations in a row without a better validation loss; "
                       "0: never");
}

nn::EarlyStop early_stop(const TrainingOptions& options) {
  constexpr Index forever = 1'000'000'000;  // no run has as many steps
  return nn::EarlyStop(options.patience > 0 ? options.patience : forever);
}

void prepare_training(const TrainingOptions& options, const Inputs& inputs) {
  const Inputs outputs{
      {"save", options.save}, {"log", options.log}, {"csv", options.csv}, {"trace", options.trace}};
  Inputs others = inputs;
  for (const auto& [name, path] : outputs) {
    if (name == "log") {  // --save may replace these
      others.emplace_back("load", options.load);
      others.emplace_back("resume", options.resume);
    }
    if (path.empty()) continue;
    for (const auto& [other_name, other_path] : others) {
      if (other_path.empty() || !same_file(path, other_path)) continue;
      throw std::runtime_error(join_text(
          {"--", other_name, " and --", name, " name the same file '", visible_text(path), "'"}));
    }
    check_writable(path, options.out_dir);
    others.emplace_back(name, path);
  }
  if (!options.out_dir.empty()) make_folder(options.out_dir);
  for (const std::string& path : {options.save, options.trace}) {
    if (!path.empty()) try_writing(path);
  }
  for (const std::string& path : {options.log, options.csv}) {
    if (!path.empty()) try_appending(path);
  }
  if (options.threads > 0) set_num_threads(options.threads);
}

void show_result(const std::string& name, double value) {
  std::cout << "result: " << name << " = " << number_text(value, 4) << "\n" << std::flush;
}

TrainingReport::TrainingReport(const TrainingOptions& options, Index tokens_per_step,
                               Index first_step)
    : options_(options),
      first_step_(first_step),
      log_(options.log, options.csv, first_step),
      progress_(progress_options(options, tokens_per_step, first_step)) {
  if (options.profile) profile_ = std::make_unique<Profile>();
  catch_interrupts();
}

bool TrainingReport::goes_on(Index step) const {
  return step <= options_.max_iters && interrupt_code() == 0;
}

void TrainingReport::end() {
  progress_.finish();
  release_interrupts();
}

void TrainingReport::update(Index step, Scalar loss) {
  losses_.push_back(static_cast<double>(loss));
  if (!std::isfinite(losses_.back())) {
    throw std::runtime_error(join_text(
        {"step ", step, ": the loss is ", losses_.back(), "; a smaller --learning_rate may help"}));
  }
  progress_.update(step, losses_.back());
  log_.write(step, {{"loss", losses_.back()}, {"seconds", progress_.seconds()}});
}

void TrainingReport::validate(Index step, double loss, nn::EarlyStop& early_stop) {
  validation_.x.push_back(static_cast<double>(step));
  validation_.y.push_back(loss);
  progress_.clear();
  std::cout << "step " << step << ": training loss " << loss_text(losses_.back())
            << ", validation loss " << loss_text(loss) << std::endl;
  if (!early_stop.update(loss) || step == options_.max_iters) return;
  std::cout << "step " << step << ": no better than " << loss_text(early_stop.best()) << " in "
            << options_.patience << (options_.patience == 1 ? " evaluation" : " evaluations")
            << ": the training ends here, and keeps these last weights" << std::endl;
}

void TrainingReport::show_losses(Index class_count, const std::string& name) {
  if (profile_ != nullptr && !losses_.empty()) std::cout << "\n" << profile_->report();
  profile_ = nullptr;
  if (losses_.empty()) return;
  const std::string guessing = join_text({"guessing, ln ", class_count});
  const double level = math::log(static_cast<double>(class_count));
  std::cout << "\nloss: " << loss_text(losses_.front())
            << (first_step_ == 1 ? " at first, " : " when it was resumed, ")
            << loss_text(losses_.back()) << " at last; " << guessing << ": " << loss_text(level)
            << "\n\n";
  Curve curve{"training", {}, losses_};
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    curve.x.push_back(static_cast<double>(first_step_) + static_cast<double>(i));
  }
  Chart chart{.title = "Loss", .x_axis = "step", .curves = {curve}, .levels = {{guessing, level}}};
  if (!validation_.x.empty()) chart.curves.push_back(validation_);
  const std::string picture = options_.out_dir + "/" + name + "_loss.svg";
  write_file(picture, chart_svg(chart));
  std::cout << chart_text(chart) << "drawn in " << picture << "\n\n";
}

}  // namespace vitro::examples
