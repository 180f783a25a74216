#include "examples/common/char_recording.h"

#include <algorithm>

#include "autograd/ops.h"

#include "examples/common/recording.h"

namespace vitro::examples {
namespace {

constexpr Index kMostTokens = 16;  // a page of more is too large to read

}  // namespace

void record_char_step(nn::Gpt& model, nn::Optimizer& optimizer, const CharRecording& recording,
                      const TrainingReport& report) {
  if (recording.path.empty()) return;
  const nn::Batch window = recording.text.at({0});
  const Index length = std::min(kMostTokens, window.inputs.size(-1));
  const Indices inputs = narrow(window.inputs, 1, 0, length);    // [1, length]
  const Indices targets = narrow(window.targets, 1, 0, length);  // [1, length]
  std::vector<std::string> tokens;
  for (const Index token : inputs.values()) tokens.push_back(recording.tokenizer.decode({token}));
  StepRecording page(
      recording.path,
      {.program = "04_char_model", .tokens = tokens, .classes = recording.tokenizer.characters()});
  page.add_losses(report.first_step(), report.losses());
  page.record(&model, [&] {
    const Variable logits = model(inputs);                 // [1, length, vocab]
    const Variable loss = cross_entropy(logits, targets);  // []
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  });
}

}  // namespace vitro::examples
