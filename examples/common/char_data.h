// The text of 04_char_model as tokens, and what a model of it is compared with.
#pragma once

#include <optional>
#include <string>

#include "nn/models/gpt.h"
#include "nn/text/char_tokenizer.h"
#include "nn/text/token_windows.h"

namespace vitro::examples {

/// The text as tokens: the first 90 % to train on, the rest to validate.
struct CharData {
  nn::CharTokenizer tokenizer;
  nn::TokenWindows train;
  std::optional<nn::TokenWindows> validation;  ///< none where the rest is shorter than a window
};

/// Reads a text and says what it holds. `tokenizer` is a loaded model's; null makes one from the
/// text. Throws, one line, where there is no text, too much, or less than a window of it.
CharData load_char_data(const std::string& path, Index block_size,
                        const nn::CharTokenizer* tokenizer);

/// Prints losses that need no model, on the validation part.
void show_counting_losses(const CharData& data);

/// The mean over up to 64 windows, evenly spaced, so that every call sees the same ones.
double validation_loss(nn::Gpt& model, const nn::TokenWindows& windows);

/// The mean over all windows that lie side by side: nearly every token of the validation part once.
double whole_validation_loss(nn::Gpt& model, const nn::TokenWindows& windows);

}  // namespace vitro::examples
