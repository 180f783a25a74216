#include "examples/common/char_data.h"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tensor/error.h"
#include "tensor/files/input_file.h"
#include "tensor/math.h"
#include "tensor/print.h"

#include "autograd/no_grad.h"
#include "autograd/ops.h"

#include "nn/models/eval_scope.h"
#include "nn/optim/accumulate.h"

namespace vitro::examples {
namespace {

constexpr Index kMostTextBytes = 100'000'000;  // reading takes some 30 times as much memory

std::string read_text(const std::string& path) {
  const InputFile file("--text", path);
  if (file.size() == 0) throw std::runtime_error(path + " is empty; give a text to learn");
  if (file.size() > kMostTextBytes) {
    throw std::runtime_error(join_text({path, " has ", file.size(), " bytes; at most ",
                                        kMostTextBytes, " are read: give a part of it"}));
  }
  return file.read_text(0, file.size());
}

}  // namespace

CharData load_char_data(const std::string& path, Index block_size, const nn::CharTokenizer* known) {
  const std::string text = read_text(path);
  nn::CharTokenizer tokenizer =
      known != nullptr ? *known : nn::CharTokenizer{std::string_view(text)};
  auto [train, rest] = nn::split_tokens(tokenizer.encode(text), 0.9);
  std::cout << path << ": " << train.size() + rest.size() << " characters, "
            << tokenizer.vocab_size() << " of them different; " << train.size() << " to train on, "
            << rest.size() << " to validate\n";
  nn::TokenWindows train_windows(train, block_size, "the training part of " + path);
  std::optional<nn::TokenWindows> validation;
  if (static_cast<Index>(rest.size()) > block_size) {
    validation.emplace(rest, block_size, "the validation part of " + path);
  } else {
    std::cout << "no validation: " << rest.size() << " characters hold no window of "
              << block_size + 1 << "; the training goes on without\n";
  }
  return {std::move(tokenizer), std::move(train_windows), std::move(validation)};
}

void show_counting_losses(const CharData& data) {
  const Index vocab_size = data.tokenizer.vocab_size();
  std::cout << "what a guess costs: at random "
            << number_text(math::log(static_cast<double>(vocab_size)), 3) << " (ln " << vocab_size
            << ")";
  if (data.validation) {
    const char* names[] = {", by counts of single characters ", ", of pairs ", ", of triples "};
    for (Index order = 0; order < 3; ++order) {
      const double loss =
          nn::counting_loss(data.train.tokens(), data.validation->tokens(), vocab_size, order);
      std::cout << names[order] << number_text(loss, 3);
    }
  }
  std::cout << "\n";
}

double validation_loss(nn::Gpt& model, const nn::TokenWindows& windows) {
  const NoGrad no_grad;
  const nn::EvalScope evaluation(model);
  const Index window_count = std::min<Index>(64, windows.count());
  double sum = 0;
  for (Index i = 0; i < window_count; ++i) {
    const nn::Batch window = windows.at({i * windows.count() / window_count});
    sum += static_cast<double>(cross_entropy(model(window.inputs), window.targets).item());
  }
  return sum / static_cast<double>(window_count);
}

double whole_validation_loss(nn::Gpt& model, const nn::TokenWindows& windows) {
  const Index block_size = model.options().block_size;
  const NoGrad no_grad;
  const nn::EvalScope evaluation(model);
  nn::TokenMean mean;
  for (Index start = 0; start < windows.count();) {
    std::vector<Index> starts;
    for (; start < windows.count() && starts.size() < 32; start += block_size) {
      starts.push_back(start);
    }
    const nn::Batch batch = windows.at(starts);
    const Variable loss = cross_entropy(model(batch.inputs), batch.targets);
    mean.add(static_cast<double>(loss.item()), batch.targets.element_count());
  }
  return mean.mean();
}

}  // namespace vitro::examples
