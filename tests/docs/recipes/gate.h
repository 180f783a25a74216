// The layer of the README and of the recipe "a new layer" of docs/extending.md.
#pragma once

#include "tensor/create.h"

#include "autograd/ops.h"

#include "nn/module.h"

class Gate : public vitro::nn::Layer {
 public:
  explicit Gate(vitro::Index width) : gain_(add_parameter("gain", vitro::ones({width}))) {}

  vitro::Variable forward(const vitro::Variable& x) override {
    return x * vitro::sigmoid(x * gain_);  // [.., width]
  }

 private:
  const vitro::Variable gain_;  // [width]
};
