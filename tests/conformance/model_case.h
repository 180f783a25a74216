// A whole recorded model: its logits, its gradients and its first training steps.
#pragma once

#include <string>
#include <vector>

namespace vitro::conformance {

/// Loads the GPT-2 of `folder` and repeats what expected.safetensors records. One line for each
/// tensor that differs; empty where all agree.
std::vector<std::string> run_model_case(const std::string& folder);

}  // namespace vitro::conformance
