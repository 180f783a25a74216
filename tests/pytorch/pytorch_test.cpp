// Vitro beside PyTorch, where it is installed: models go there and back, answer the same, and train
// on in two processes.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tensor/files/npy.h"
#include "tensor/files/safetensors.h"

#include "nn/models/gpt2_files.h"

#include "tests/examples/run_program.h"
#include "tests/support/python.h"

namespace vitro::examples {
namespace {

const std::string kScript = VITRO_SOURCE_DIR "/examples/way_on/train_in_pytorch.py";
const std::string kText = VITRO_SOURCE_DIR "/examples/data/seeing_glass.txt";

class PyTorch : public testing::Test {
 protected:
  void SetUp() override {
    python_ = testing_support::find_python("torch, numpy");
    if (python_.empty()) {
      GTEST_SKIP()
          << "no Python with PyTorch and NumPy (apt-get install python3-torch): it was NOT "
             "checked that models go there and back";
    }
  }

  // What a command prints; it must end well.
  std::string output_of(const std::string& command) const {
    const std::string line =
        "cd '" + folder_.path().string() + "' && " + command + " >printed.txt 2>error.txt";
    EXPECT_EQ(std::system(line.c_str()), 0) << command << "\n"
                                            << read_file(folder_.path() / "error.txt");
    return read_file(folder_.path() / "printed.txt");
  }

  // A small model, hardly trained.
  void save_char_model(const std::string& name) const {
    const ProgramRun program = run_program(
        "04_char_model", "--quick --max_iters 3 --max_new_tokens 0 --save " + name, folder_.path());
    ASSERT_EQ(program.exit_code, 0) << program.error;
  }

  std::string train_on(const std::string& launcher, const std::string& arguments) const {
    return output_of("'" + python_ + "' " + launcher + " '" + kScript +
                     "' --logits_program '" VITRO_EXAMPLES_DIR "/logits' " + arguments);
  }

  static double number_after(const std::string& text, const std::string& label) {
    const std::size_t at = text.find(label);
    if (at == std::string::npos) ADD_FAILURE() << "no \"" << label << "\" in\n" << text;
    return at == std::string::npos ? -1 : std::stod(text.substr(at + label.size()));
  }

  std::string python_;
  TemporaryFolder folder_;
};

TEST_F(PyTorch, TwoProcessesTrainACharacterModelOnAndVitroTakesItBack) {
  save_char_model("a.safetensors");
  const std::string text =
      train_on("-m torch.distributed.run --standalone --nproc_per_node 2 --redirects 1 --tee 1",
               "--model a.safetensors --text '" + kText + "' --steps 30 --learning_rate 3e-3 " +
                   "--save b.safetensors");
  EXPECT_LE(number_after(text, "largest difference "), 1e-4);
  EXPECT_NE(text.find("2 processes, 30 steps of 16 windows each"), std::string::npos) << text;
  const double before = number_after(text, "validation loss ");
  EXPECT_LT(number_after(text, " -> "), before - 0.5) << text;
  const ProgramRun back = run_program(
      "04_char_model", "--load b.safetensors --max_new_tokens 5 --ask the", folder_.path());
  EXPECT_EQ(back.exit_code, 0) << back.error;
}

// Without a step in between the file comes back byte for byte: both write the same form.
TEST_F(PyTorch, ACharacterModelComesBackByteForByte) {
  save_char_model("a.safetensors");
  train_on("", "--model a.safetensors --text '" + kText + "' --steps 0 --save b.safetensors");
  EXPECT_TRUE(read_file(folder_.path() / "a.safetensors") ==
              read_file(folder_.path() / "b.safetensors"));
}

TEST_F(PyTorch, TrainsAGpt2FolderOn) {
  nn::GptOptions options;
  options.vocab_size = 23;
  options.block_size = 12;
  options.layer_count = 2;
  options.head_count = 3;
  options.channels = 24;
  options.head = nn::Head::kTied;
  Rng rng(1);
  const nn::Gpt model(options, rng);
  std::filesystem::create_directory(folder_.path() / "m");
  nn::save_gpt2(folder_.file("m"), model);
  std::vector<Index> tokens;
  for (Index i = 0; i < 3000; ++i) tokens.push_back(i * i % 23);  // every token tells the next
  write_npy(folder_.file("tokens.npy"), Indices({3000}, tokens));
  const std::string text =
      train_on("", "--model m --tokens tokens.npy --steps 30 --learning_rate 1e-2 --save back");
  EXPECT_LE(number_after(text, "largest difference "), 1e-4);
  EXPECT_LT(number_after(text, " -> "), number_after(text, "validation loss ") - 0.5) << text;
  const std::unique_ptr<nn::Gpt> back = nn::load_gpt2(folder_.file("back"));
  EXPECT_EQ(back->options().layer_count, 2);
  EXPECT_NE(back->parameters()[0].value().to_vector(), model.parameters()[0].value().to_vector());
}

// 124 million parameters: equal logits, and memory for the weights and no more than a tenth above.
TEST_F(PyTorch, FullSizeGpt2AnswersTheSame) {
  const std::string text =
      output_of("'" + python_ + "' '" VITRO_SOURCE_DIR "/tests/pytorch/gpt2_full_size.py' '" +
                VITRO_EXAMPLES_DIR "' --rounds 0");
  EXPECT_NE(text.find("largest difference "), std::string::npos) << text;  // its status judges it
  std::cout << text;
}

}  // namespace
}  // namespace vitro::examples
