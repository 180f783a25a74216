// A character model in one file: its weights, its options and its tokenizer.
#pragma once

#include <memory>
#include <string>

#include "nn/models/gpt.h"
#include "nn/text/char_tokenizer.h"

namespace vitro::examples {

struct CharModel {
  nn::CharTokenizer tokenizer;
  std::unique_ptr<nn::Gpt> model;
};

/// Writes a safetensors file whose metadata holds what else is needed to use the weights. Throws
/// FileError.
void save_char_model(const std::string& path, const nn::Gpt& model,
                     const nn::CharTokenizer& tokenizer);

/// Throws FileError for a missing or damaged file, std::invalid_argument for one that holds no
/// character model.
CharModel load_char_model(const std::string& path);

}  // namespace vitro::examples
