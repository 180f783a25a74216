// A character model in one file: its weights, its options and its tokenizer.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "nn/models/gpt.h"
#include "nn/text/char_tokenizer.h"

namespace vitro::examples {

struct CharModel {
  nn::CharTokenizer tokenizer;
  std::unique_ptr<nn::Gpt> model;
};

/// What else is needed to use the weights, for a file's metadata.
std::map<std::string, std::string> char_model_texts(const nn::Gpt& model,
                                                    const nn::CharTokenizer& tokenizer);

/// Writes a safetensors file whose metadata holds what else is needed to use the weights, and says
/// so; nothing where `path` is empty. Throws FileError.
void save_char_model(const std::string& path, const nn::Gpt& model,
                     const nn::CharTokenizer& tokenizer);

/// From such a file or a checkpoint. Throws FileError for a missing or damaged file,
/// std::invalid_argument for one that holds no character model.
CharModel load_char_model(const std::string& path);

}  // namespace vitro::examples
