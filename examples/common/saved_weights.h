// Weights of a program in a file, with what else must be the same for them to mean the same.
#pragma once

#include <map>
#include <string>

#include "nn/module.h"

namespace vitro::examples {

/// What the shapes of the weights do not say: {"task", "sort"}, {"n_head", "2"}.
using SavedTexts = std::map<std::string, std::string>;

/// Writes the weights and says so; nothing where `path` is empty. Throws FileError.
void save_trained(const std::string& path, const nn::Module& model, const SavedTexts& texts);

/// Reads them, from such a file or a checkpoint; nothing where `path` is empty. Throws
/// std::runtime_error, one line, where the file says another of `texts` (what it does not say is
/// not compared), and what nn::load_weights throws.
void load_trained(const std::string& path, const nn::Module& model, const SavedTexts& texts);

}  // namespace vitro::examples
