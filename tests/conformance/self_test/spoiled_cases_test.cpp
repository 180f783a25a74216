// The conformance program can fail: every recorded case, spoiled in one number, is red.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tensor/create.h"
#include "tensor/files/safetensors.h"

#include "tests/conformance/run.h"

namespace vitro::conformance {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(VITRO_SOURCE_DIR) / "tests/conformance/cases";

// A fresh folder for each test; a folder that was left behind is emptied.
class Conformance : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(VITRO_BINARY_DIR) / "conformance_self_test" /
              (name + std::to_string(sizeof(Scalar)));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void TearDown() override { fs::remove_all(folder_); }

  int run() const { return run_folder(folder_.string()); }

  fs::path folder_;
};

struct Content {
  std::vector<NamedValues> tensors;
  std::map<std::string, std::string> metadata;

  Tensor& floats(const std::string& name) {
    for (NamedValues& tensor : tensors) {
      if (tensor.name == name) return std::get<Tensor>(tensor.values);
    }
    throw std::out_of_range("no tensor " + name);
  }
};

Content read_content(const fs::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path.string());
  Content content{{}, file.metadata()};
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.dtype == Dtype::I64) {
      content.tensors.push_back({entry.name, file.indices(entry.name)});
    } else {
      content.tensors.push_back({entry.name, file.tensor(entry.name)});
    }
  }
  return content;
}

void write_content(const fs::path& path, const Content& content) {
  write_safetensors(path.string(), content.tensors, content.metadata, Dtype::F64);
}

bool is_expected(const std::string& name) {
  return name.rfind("out", 0) == 0 || name.rfind("grad.", 0) == 0;
}

// The tensor with its last number moved by ten times the float bound; an infinite one becomes 0.
Tensor spoiled(const Tensor& x) {
  std::vector<Scalar> values = x.to_vector();
  double largest = 1;
  for (const Scalar value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  Scalar& last = values.back();
  last = std::isfinite(last) ? last + static_cast<Scalar>(1.1e-3 * largest) : Scalar(0);
  return Tensor(x.shape(), values);
}

TEST_F(Conformance, AnUnspoiledCopyPasses) {
  const Content content = read_content(kCases / "add__001.safetensors");
  write_content(folder_ / "add__001.safetensors", content);
  EXPECT_EQ(run(), 0);
}

TEST_F(Conformance, OneChangedNumberFailsInEveryExpectedTensorOfEveryCase) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kCases)) {
    if (entry.is_directory()) continue;
    const Content content = read_content(entry.path());
    for (const NamedValues& tensor : content.tensors) {
      if (!is_expected(tensor.name)) continue;
      Content changed = content;
      changed.floats(tensor.name) = spoiled(changed.floats(tensor.name));
      write_content(folder_ / "case.safetensors", changed);
      EXPECT_EQ(run(), 1) << entry.path() << " passes with another " << tensor.name;
      ++count;
    }
  }
  EXPECT_GE(count, 350);
}

// A case whose gradient was lost or renamed must not pass on its values alone.
TEST_F(Conformance, ARenamedGradientFails) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kCases)) {
    if (entry.is_directory()) continue;
    const Content content = read_content(entry.path());
    for (std::size_t i = 0; i < content.tensors.size(); ++i) {
      if (content.tensors[i].name.rfind("grad", 0) != 0) continue;
      Content changed = content;
      changed.tensors[i].name = "lost";
      write_content(folder_ / "case.safetensors", changed);
      EXPECT_EQ(run(), 1) << entry.path() << " passes without " << content.tensors[i].name;
      ++count;
    }
  }
  EXPECT_GE(count, 300);
}

TEST_F(Conformance, AnUnknownOperationFails) {
  Content content = read_content(kCases / "add__001.safetensors");
  content.metadata["op"] = "add_up";
  write_content(folder_ / "add__001.safetensors", content);
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, AnEmptyFolderFails) { EXPECT_EQ(run(), 1); }

TEST_F(Conformance, AMissingFolderIsAnError) {
  EXPECT_THROW(run_folder((folder_ / "none").string()), fs::filesystem_error);
}

TEST_F(Conformance, AFileThatIsNoCaseFails) {
  std::ofstream(folder_ / "add__001.safetensors") << "not a case";
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, OneFailureAmongManyFails) {
  Content content = read_content(kCases / "add__001.safetensors");
  write_content(folder_ / "add__001.safetensors", content);
  write_content(folder_ / "add__003.safetensors", content);
  content.floats("out") = spoiled(content.floats("out"));
  write_content(folder_ / "add__002.safetensors", content);
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, AnotherShapeWithTheSameNumbersFails) {
  Content content = read_content(kCases / "add__001.safetensors");
  const std::vector<Scalar> values = content.floats("out").to_vector();  // of [3, 4]
  content.floats("out") = Tensor({4, 3}, values);
  write_content(folder_ / "add__001.safetensors", content);
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, NanMatchesNoNumber) {
  Content content = read_content(kCases / "add__001.safetensors");
  std::vector<Scalar> values = content.floats("out").to_vector();
  values[5] = std::numeric_limits<Scalar>::quiet_NaN();
  content.floats("out") = Tensor({3, 4}, values);
  write_content(folder_ / "add__001.safetensors", content);
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, AGradientWithoutAnUpstreamGradientFails) {
  Content content = read_content(kCases / "add__001.safetensors");
  content.tensors.erase(
      std::find_if(content.tensors.begin(), content.tensors.end(),
                   [](const NamedValues& tensor) { return tensor.name == "grad_out"; }));
  write_content(folder_ / "add__001.safetensors", content);
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, AMissingResultFails) {
  Content content = read_content(kCases / "clip_grad_norm__001.safetensors");
  content.tensors.push_back({"out.3", zeros({2})});
  write_content(folder_ / "clip_grad_norm__001.safetensors", content);
  EXPECT_EQ(run(), 1);
}

TEST_F(Conformance, AModelFailsByOneLogitGradientLossOrNorm) {
  const fs::path model = folder_ / "model";
  fs::copy(kCases / "gpt2-tiny", model);
  ASSERT_EQ(run(), 0);
  for (const char* name :
       {"logits", "losses", "grad_norms", "grad.wte.weight", "grad.h.1.mlp.c_proj.bias"}) {
    Content changed = read_content(kCases / "gpt2-tiny" / "expected.safetensors");
    changed.floats(name) = spoiled(changed.floats(name));
    write_content(model / "expected.safetensors", changed);
    EXPECT_EQ(run(), 1) << "passes with another " << name;
  }
}

}  // namespace
}  // namespace vitro::conformance
