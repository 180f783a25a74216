// What the tests of nn/ share: parameters by name, small models, folders for files.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "tensor/create.h"

#include "nn/models/gpt.h"
#include "nn/module.h"

#include "tests/support/expect.h"

namespace vitro::test {

/// The module's parameter of that name.
inline Variable named(const nn::Module& module, const std::string& name) {
  for (const nn::NamedParameter& parameter : module.named_parameters()) {
    if (parameter.name == name) return parameter.variable;
  }
  throw std::out_of_range("no parameter " + name);
}

inline void set_named(const nn::Module& module, const std::string& name, const Tensor& value) {
  Variable variable = named(module, name);
  variable.set_value(value);
}

/// All parameters' numbers, one after the other.
inline std::vector<Scalar> all_values(const nn::Module& module) {
  std::vector<Scalar> values;
  for (const Variable& parameter : module.parameters()) {
    const std::vector<Scalar> more = parameter.value().to_vector();
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

/// Draws new numbers for every parameter, biases and gains too, so that none is idle.
inline void randomize(const nn::Module& module, Rng& rng) {
  for (Variable parameter : module.parameters()) {
    parameter.set_value(uniform(parameter.shape(), Scalar(-0.7), Scalar(0.7), rng));
  }
}

inline Indices random_tokens(const Shape& shape, Index vocab_size, Rng& rng) {
  std::vector<Index> ids;
  for (Index i = 0; i < shape.element_count(); ++i) ids.push_back(rng.below(vocab_size));
  return Indices(shape, ids);
}

/// vocab 11, block 8, 2 layers, 3 heads of size 4.
inline nn::GptOptions small_gpt() {
  nn::GptOptions options;
  options.vocab_size = 11;
  options.block_size = 8;
  options.layer_count = 2;
  options.head_count = 3;
  options.channels = 12;
  return options;
}

/// A folder of the running test's own, removed with everything in it.
class TestFolder {
 public:
  TestFolder() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const char* scalar = sizeof(Scalar) == 8 ? "double" : "float";
    path_ = testing::TempDir() + "vitro_nn_" + scalar + "_" + test.test_suite_name() + "_" +
            test.name();
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }

  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  ~TestFolder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name) const { return path_ + "/" + name; }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace vitro::test
