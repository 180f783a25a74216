#include "examples/common/recording.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "examples/common/output_file.h"

namespace vitro::examples {

void add_trace_option(CommandLine& command_line, std::string& path) {
  command_line.text("trace", path, "FILE",
                    "writes a page (HTML) to step through one pass, forwards and backwards");
}

void check_trace(const std::string& path) {
  if (path.empty()) return;
  check_writable(path);
  try_writing(path);
}

StepRecording::StepRecording(std::string path, RecordingOptions options)
    : path_(std::move(path)), options_(std::move(options)) {}

bool StepRecording::is_due(Index step) const {
  if (!is_wanted() || step < 1) return false;
  // Due where √2^k rounds to the step for some k: two for each doubling.
  for (double mark = 1; mark < static_cast<double>(step) + 1; mark *= std::sqrt(2.0)) {
    if (std::lround(mark) == step) return true;
  }
  return false;
}

void StepRecording::add_snapshot(Index step, std::vector<Tensor> weights) {
  snapshots_.emplace_back(step, std::move(weights));
}

void StepRecording::add_losses(Index first_step, const std::vector<double>& losses) {
  first_step_ = first_step;
  losses_ = losses;
}

void StepRecording::record(const nn::Module* model, const std::function<void()>& body) {
  if (!is_wanted()) return;
  std::vector<Variable> parameters;
  if (model != nullptr) parameters = model->parameters();
  std::vector<Tensor> before;
  for (const Variable& parameter : parameters) before.push_back(parameter.value());

  Trace trace({.title = options_.program,
               .configuration = options_.configuration,
               .tokens = options_.tokens,
               .classes = options_.classes,
               .source_folders = {VITRO_SOURCE_DIR, "."}});
  body();
  trace.stop();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].set_value(before[i]);
    parameters[i].zero_grad();
  }
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    trace.add_loss(first_step_ + static_cast<Index>(i), losses_[i]);
  }
  for (const auto& [step, weights] : snapshots_) trace.add_snapshot(step, weights);
  const Index bytes = trace.write(path_);
  std::cout << "recorded in " << path_ << " (" << (bytes + 1023) / 1024
            << " kB): open it in a browser\n";
}

void StepRecording::record_training(const nn::Module& model, nn::Optimizer& optimizer,
                                    const std::function<Variable()>& loss) {
  record(&model, [&] {
    const Variable value = loss();  // []
    optimizer.zero_grad();
    value.backward();
    optimizer.step();
  });
}

std::vector<std::string> number_labels(Index count) {
  std::vector<Index> numbers;
  for (Index number = 0; number < count; ++number) numbers.push_back(number);
  return number_labels(numbers);
}

std::vector<std::string> number_labels(const std::vector<Index>& numbers) {
  std::vector<std::string> labels;
  for (const Index number : numbers) labels.push_back(TextPiece(number).text());
  return labels;
}

}  // namespace vitro::examples
