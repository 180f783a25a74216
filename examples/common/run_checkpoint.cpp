#include "examples/common/run_checkpoint.h"

#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "tensor/error.h"
#include "tensor/files/json.h"
#include "tensor/pictures/glyphs.h"

#include "examples/common/interrupt.h"

namespace vitro::examples {
namespace {

using Options = std::map<std::string, std::string>;

// {"max_iters":"100","quick":""}: the options that the user gave, but for where the run started.
std::string options_text(Options options) {
  options.erase("resume");
  options.erase("load");
  std::string text;
  for (const auto& [name, value] : options) {
    text += (text.empty() ? "" : ",") + json_string(name) + ":" + json_string(value);
  }
  return "{" + text + "}";
}

Options parse_options(const std::string& text) {
  const JsonValue object = JsonValue::parse(text);
  Options options;
  for (const std::string& name : object.keys()) options[name] = object[name].string();
  return options;
}

// Hands read() a text of the checkpoint; what it throws then names the file and the text.
void read_text(const nn::Checkpoint& checkpoint, const std::string& path, const std::string& name,
               const std::function<void(const std::string& text)>& read) {
  try {
    read(checkpoint.text(name));
  } catch (const std::exception& error) {
    throw std::runtime_error(join_text({visible_text(path), ": its '", name, "' cannot be used (",
                                        error.what(), "); take an undamaged checkpoint"}));
  }
}

// A word of a command, as a shell reads it.
std::string shell_word(const std::string& word) {
  const char* const plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace

void take_resumed_options(CommandLine& command_line, const TrainingOptions& options) {
  if (options.resume.empty()) return;
  static const std::set<std::string> harmless = {
      "resume",   "max_iters", "threads",    "eval_interval", "checkpoint_interval",
      "save",     "log",       "csv",        "out_dir",       "color",
      "ask",      "trace",     "test_count", "temperature",   "max_new_tokens",
      "patience", "profile",   "name_count", "beams"};
  for (const auto& [name, value] : command_line.given()) {
    if (harmless.contains(name)) continue;
    throw UsageError(
        join_text({"--", name, ": comes with the checkpoint of --resume; leave it ", "out"}));
  }
  const nn::Checkpoint checkpoint = nn::Checkpoint::open(options.resume);
  Options earlier;
  read_text(checkpoint, options.resume, "configuration",
            [&earlier](const std::string& text) { earlier = parse_options(text); });
  command_line.give(earlier);
}

RunCheckpoint::RunCheckpoint(const CommandLine& command_line, const TrainingOptions& options,
                             const std::string& name, const nn::TrainingState& state,
                             nn::CheckpointTexts texts, const RunPosition& position)
    : command_(command_line.command()),
      path_(options.out_dir + "/" + name + "_checkpoint.safetensors"),
      interval_(options.checkpoint_interval),
      state_(state),
      texts_(std::move(texts)),
      position_(position) {
  texts_["configuration"] = options_text(command_line.given());
  texts_["task"] = name;
  if (options.resume.empty()) return;
  const nn::Checkpoint checkpoint = nn::Checkpoint::open(options.resume);
  if (checkpoint.text("task") != name) {
    throw_invalid({options.resume, " is a checkpoint of '", checkpoint.text("task"),
                   "', and this is '", name, "'; resume with the program that wrote it"});
  }
  checkpoint.restore(state_);
  if (position_.order != nullptr) {
    read_text(checkpoint, options.resume, "data_position",
              [this](const std::string& text) { position_.order->set_state(text); });
  }
  // A checkpoint from before there was --patience says nothing of it.
  if (position_.early_stop != nullptr && checkpoint.has_text("early_stop")) {
    read_text(checkpoint, options.resume, "early_stop",
              [this](const std::string& text) { position_.early_stop->set_state(text); });
  }
  last_step_ = checkpoint.step();
  first_step_ = last_step_ + 1;
  std::cout << "resumed after step " << last_step_ << "\n" << std::flush;
}

void RunCheckpoint::after(Index step) {
  last_step_ = step;
  const bool is_due = interval_ > 0 && step % interval_ == 0;
  if (is_due || interrupt_code() != 0) save();
}

void RunCheckpoint::save() {
  texts_["data_position"] =
      position_.order != nullptr ? position_.order->state() : "drawn from the generator";
  if (position_.early_stop != nullptr) texts_["early_stop"] = position_.early_stop->state();
  nn::save_checkpoint(path_, state_, last_step_, texts_);
  saved_step_ = last_step_;
}

bool RunCheckpoint::was_stopped() const { return interrupt_code() != 0; }

int RunCheckpoint::say_how_to_go_on() {
  if (saved_step_ != last_step_) save();  // the signal came after the last look for one
  std::cout << "stopped after step " << last_step_ << "; go on with\n  " << shell_word(command_)
            << " --resume " << shell_word(path_) << "\n";
  return interrupt_code();
}

}  // namespace vitro::examples
