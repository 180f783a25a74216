// logits: what a saved model answers, as numbers for another program to compare with.
//
//     logits --model MODEL --ids "5 2 9" --out logits.npy     # [3, vocab_size]
//
// MODEL is a character model that 04_char_model saved, or a folder with a GPT-2's files.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "tensor/files/npy.h"
#include "tensor/parallel.h"

#include "autograd/no_grad.h"

#include "nn/models/gpt2_files.h"

#include "examples/common/char_model_file.h"
#include "examples/common/command_line.h"
#include "examples/common/run_main.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "logits";

std::vector<Index> parse_ids(const std::string& text) {
  std::vector<Index> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    Index id = 0;
    const auto [after, error] = std::from_chars(at, end, id);
    if (error != std::errc{} || (after != end && *after != ' ')) {
      throw UsageError("--ids: '" + text + "' is no list of whole numbers with spaces between");
    }
    ids.push_back(id);
    at = after;
  }
  return ids;
}

std::unique_ptr<nn::Gpt> load(const std::string& path) {
  if (std::filesystem::is_directory(path)) return nn::load_gpt2(path);
  return load_char_model(path).model;
}

int run(int argc, const char* const* argv) {
  std::string model_path;
  std::string ids_text;
  std::string out;
  Index threads = 0;
  CommandLine command_line(kProgram, "writes a saved model's logits for some tokens as .npy.");
  command_line.text("model", model_path, "MODEL", "04_char_model's file, or a GPT-2's folder");
  command_line.text("ids", ids_text, "IDS", "token ids with spaces between");
  command_line.text("out", out, "FILE", "gets the logits, [ids, vocab_size]");
  command_line.integer("threads", threads, 0, 1024, "0: as many as there are cores");
  if (!command_line.parse(argc, argv)) return 0;
  if (model_path.empty() || ids_text.empty() || out.empty()) {
    throw UsageError("--model, --ids and --out are needed");
  }
  if (threads > 0) set_num_threads(threads);
  std::vector<Index> ids = parse_ids(ids_text);
  const auto count = static_cast<Index>(ids.size());
  const std::unique_ptr<nn::Gpt> model = load(model_path);
  model->eval();
  const NoGrad no_grad;
  const Tensor logits = (*model)(Indices({count}, std::move(ids))).value();  // [ids, vocab_size]
  write_npy(out, logits);
  std::cout << logits.shape().to_string() << " logits in " << out << "\n";
  return 0;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] { return run(argc, argv); });
}
