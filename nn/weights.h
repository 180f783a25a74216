// Weights in files: saving a module's parameters, and loading them by name.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tensor/files/safetensors.h"

#include "nn/module.h"

namespace vitro::nn {

/// Writes every parameter under its name to a safetensors file, which appears whole or not at all.
/// A shared parameter is written once. Throws FileError.
void save_weights(const std::string& path, const Module& module,
                  const std::map<std::string, std::string>& metadata = {});

/// Overwrites every parameter with the tensor of its name; of a checkpoint (nn/checkpoint.h) the
/// optimizer's tensors are left aside. Throws FileError where the file is missing or damaged,
/// std::invalid_argument where its tensors are not the module's (the message lists all that are
/// missing, extra, of another shape, or no floats), or hold NaN or infinity. The module is then as
/// it was. Numbers go straight from the file into the parameters' memory.
void load_weights(const std::string& path, const Module& module);

/// The same from an open file.
void load_weights(const SafetensorsFile& file, const Module& module);

/// How a file names things, where it does so in its own way.
struct FileNames {
  std::function<std::string(const std::string& name)> of_parameter;  ///< the file's name for it
  std::function<bool(const std::string& file_name)> is_ignored;      ///< not looked at if extra
};

/// The same from an open file with names of its own.
void load_weights(const SafetensorsFile& file, const Module& module, const FileNames& names);

}  // namespace vitro::nn
