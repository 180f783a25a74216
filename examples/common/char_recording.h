// --trace of a character model.
#pragma once

#include <string>

#include "nn/models/gpt.h"
#include "nn/optim/optimizer.h"
#include "nn/text/char_tokenizer.h"
#include "nn/text/token_windows.h"

#include "examples/common/training.h"

namespace vitro::examples {

struct CharRecording {
  const std::string& path;  ///< of the page; empty: none is wanted
  const nn::TokenWindows& text;
  const nn::CharTokenizer& tokenizer;
};

/// Writes a page of one training step on the first characters of the text, few enough to be read.
/// The model stays as it was.
void record_char_step(nn::Gpt& model, nn::Optimizer& optimizer, const CharRecording& recording,
                      const TrainingReport& report);

}  // namespace vitro::examples
