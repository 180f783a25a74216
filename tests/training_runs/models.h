// The trainings behind all_runs().
#pragma once

#include <memory>

#include "tests/training_runs/training_run.h"

namespace vitro::training_runs {

/// The model of examples/03_train_reverse.cpp: one bare SelfAttention layer.
std::unique_ptr<TrainingRun> make_reverse_layer();

/// The model of examples/04_char_model.cpp, smaller.
std::unique_ptr<TrainingRun> make_char_gpt();

/// Rotary positions, RMSNorm, grouped heads, SiLU, no biases, tied tables, dropout.
std::unique_ptr<TrainingRun> make_modern_gpt();

/// ALiBi, norms after the sums, GELU by erf, dropout; every step of attention on its own.
std::unique_ptr<TrainingRun> make_spelled_out_gpt();

/// The model of examples/11_translate.cpp, with sources of different lengths, sinusoidal positions
/// and dropout.
std::unique_ptr<TrainingRun> make_encoder_decoder();

/// An encoder that gives one label to a sequence; ReLU; SGD with momentum and decay.
std::unique_ptr<TrainingRun> make_classifier();

/// The recurrent network of examples/07_long_range.cpp.
std::unique_ptr<TrainingRun> make_recurrent();

/// Every operation that the models above leave out.
std::unique_ptr<TrainingRun> make_operations();

}  // namespace vitro::training_runs
