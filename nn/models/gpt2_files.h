// GPT-2's files: config.json and model.safetensors, read into a Gpt and written from one.
#pragma once

#include <memory>
#include <string>

#include "tensor/files/safetensors.h"

#include "nn/models/gpt.h"

namespace vitro::nn {

/// The options of a GPT-2 of the given config.json. Throws FileError for a damaged file,
/// std::invalid_argument for a model that Gpt cannot be.
GptOptions read_gpt2_config(const std::string& path);

/// GPT-2's name for a parameter of Gpt: "block_0.attention.w_qkv" → "h.0.attn.c_attn.weight".
/// Throws std::invalid_argument for a name that a GPT-2 does not have.
std::string gpt2_name(const std::string& name);

/// The model of a folder with GPT-2's config.json and model.safetensors. The weights go straight
/// from the file into the model, which draws none before: memory beyond them is not needed. Throws
/// as the two functions above and below, and std::invalid_argument where config.json describes a
/// model far larger than the file.
std::unique_ptr<Gpt> load_gpt2(const std::string& folder);

/// Fills a Gpt with layer norms, learned positions and a tied head from a GPT-2 file, whose names
/// may start with "transformer."; its mask buffers are skipped. Throws like load_weights.
void load_gpt2_weights(const std::string& path, Gpt& model);

/// Writes config.json and model.safetensors into an existing folder, so that other programs load
/// the model as a GPT-2. Throws FileError, and std::invalid_argument for options that GPT-2 does
/// not have; where one of the two files cannot be made, the other stays as it was.
void save_gpt2(const std::string& folder, const Gpt& model);

}  // namespace vitro::nn
