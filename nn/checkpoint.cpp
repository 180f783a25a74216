#include "nn/checkpoint.h"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nn/weights.h"

namespace vitro::nn {
namespace {

constexpr Index kMostSteps = 1'000'000'000;

std::string tensor_name(const OptimizerTensors& tensors, const NamedParameter& parameter) {
  return "optimizer." + tensors.name + "." + parameter.name;
}

std::string generator_name(const NamedGenerator& generator) {
  return "generator." + generator.name;
}

}  // namespace

void save_checkpoint(const std::string& path, const TrainingState& state, Index step,
                     const CheckpointTexts& texts) {
  std::vector<NamedValues> tensors;
  for (const auto& [name, variable] : state.model.named_parameters()) {
    tensors.push_back({name, variable.value()});
  }
  for (const OptimizerTensors& kind : state.optimizer.tensors()) {
    for (std::size_t i = 0; i < kind.tensors->size(); ++i) {
      const NamedParameter& parameter = state.optimizer.parameters().at(i);
      tensors.push_back({tensor_name(kind, parameter), (*kind.tensors)[i]});
    }
  }
  CheckpointTexts metadata{{"format", "pt"},
                           {"vitro", "checkpoint"},
                           {"step", join_text({step})},
                           {"optimizer", state.optimizer.description()},
                           {"optimizer_steps", join_text({state.optimizer.step_count()})},
                           {"learning_rate", join_text({state.optimizer.learning_rate()})},
                           {"generator", state.rng.state()}};
  for (const NamedGenerator& generator : state.model.named_generators()) {
    metadata[generator_name(generator)] = generator.generator->state();
  }
  for (const auto& [name, text] : texts) {
    if (!metadata.emplace(name, text).second) {
      throw_invalid({"save_checkpoint: '", name, "' is a text of the checkpoint's own; give yours ",
                     "another name"});
    }
  }
  write_safetensors(path, tensors, metadata);
}

Checkpoint::Checkpoint(SafetensorsFile file) : file_(std::move(file)) {
  const auto kind = file_.metadata().find("vitro");
  if (kind == file_.metadata().end() || kind->second != "checkpoint") {
    fail(
        {"it holds weights only, without the optimizer's memory and the generator, so that no run "
         "can go on from it; resume a checkpoint, or load these weights and train on"});
  }
  step_ = count("step");
}

Checkpoint Checkpoint::open(const std::string& path) {
  return Checkpoint(SafetensorsFile::open(path));
}

void Checkpoint::fail(std::initializer_list<TextPiece> pieces) const {
  throw_invalid({"Checkpoint: ", file_.path(), ": ", join_text(pieces)});
}

const std::string& Checkpoint::text(const std::string& name) const {
  const auto found = file_.metadata().find(name);
  if (found == file_.metadata().end()) fail({"its metadata says nothing about '", name, "'"});
  return found->second;
}

Index Checkpoint::count(const std::string& name) const {
  const std::string& digits = text(name);
  Index value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0 ||
      value > kMostSteps) {
    fail({name, " is '", digits, "'; it must be a whole number from 0 to ", kMostSteps});
  }
  return value;
}

Scalar Checkpoint::learning_rate() const {
  const std::string& digits = text("learning_rate");
  Scalar value = 0;  // read as what it was written from, so that it is the same to the last bit
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !(value >= 0) ||
      !std::isfinite(value)) {
    fail({"learning_rate is '", digits, "'; it must be a finite number, 0 or more"});
  }
  return value;
}

Rng Checkpoint::generator(const std::string& name) const {
  const std::string& state = text(name);
  Rng rng(0);
  try {
    rng.set_state(state);
  } catch (const std::invalid_argument& error) {
    fail({name, ": ", error.what()});
  }
  return rng;
}

void Checkpoint::check_tensor(const std::string& name, const Shape& shape) const {
  if (!file_.contains(name)) fail({"there is no tensor '", name, "'"});
  if (file_.entry(name).shape != shape || !is_float(file_.entry(name).dtype)) {
    fail({"'", name, "' is ", file_.entry(name).shape, "; it must hold floats, ", shape});
  }
}

// One NaN among the moments makes its weight NaN at the next step, and so does the root of a
// negative one.
void Checkpoint::check_numbers(const std::string& name, const Tensor& values, Sign sign) const {
  const Scalar* const numbers = values.data();
  for (Index i = 0; i < values.element_count(); ++i) {
    const bool is_negative = sign == Sign::kNotNegative && numbers[i] < 0;
    if (std::isfinite(numbers[i]) && !is_negative) continue;
    fail({"number ", i, " of '", name, "' ", values.shape(), " is ", numbers[i],
          "; it must be finite", sign == Sign::kNotNegative ? ", 0 or more" : ""});
  }
}

// What the file holds of one kind, in memory of its own.
std::vector<Tensor> Checkpoint::read(const OptimizerTensors& kind,
                                     const std::vector<NamedParameter>& parameters) const {
  std::vector<Tensor> found;
  for (std::size_t i = 0; i < kind.tensors->size(); ++i) {
    const std::string name = tensor_name(kind, parameters.at(i));
    check_tensor(name, (*kind.tensors)[i].shape());
    found.push_back(file_.tensor(name));
    check_numbers(name, found.back(), kind.sign);
  }
  return found;
}

// First everything that can fail, read and checked; then load_weights, which changes all weights or
// none; and after it only what cannot fail.
void Checkpoint::restore(const TrainingState& state) const {
  if (text("optimizer") != state.optimizer.description()) {
    fail({"its optimizer is '", text("optimizer"), "', this run's is '",
          state.optimizer.description(), "'; they must be the same"});
  }
  const std::vector<OptimizerTensors> kinds = state.optimizer.tensors();
  std::vector<std::vector<Tensor>> tensors;  // of each kind
  for (const OptimizerTensors& kind : kinds) {
    tensors.push_back(read(kind, state.optimizer.parameters()));
  }
  const Index step_count = count("optimizer_steps");
  const Scalar rate = learning_rate();
  const Rng data_generator = generator("generator");
  const std::vector<NamedGenerator> targets = state.model.named_generators();
  std::vector<Rng> generators;
  for (const NamedGenerator& named : targets) {
    generators.push_back(generator(generator_name(named)));
  }

  load_weights(file_, state.model);
  for (std::size_t k = 0; k < kinds.size(); ++k) *kinds[k].tensors = std::move(tensors[k]);
  state.optimizer.set_step_count(step_count);
  state.optimizer.set_learning_rate(rate);
  state.rng = data_generator;
  for (std::size_t i = 0; i < targets.size(); ++i) *targets[i].generator = generators[i];
}

}  // namespace vitro::nn
