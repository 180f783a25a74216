#include "tests/conformance/model_case.h"

#include <map>
#include <memory>
#include <optional>
#include <type_traits>

#include "nn/models/gpt2_files.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"

#include "tests/conformance/compare.h"

namespace vitro::conformance {
namespace {

using Problems = std::vector<std::string>;

void add(Problems& problems, std::optional<std::string> problem) {
  if (problem) problems.push_back(std::move(*problem));
}

// The optimizer of the record: lr 1e-3, betas 0.9 and 0.95, weight decay 0.1 on matrices, clipping
// to 1.
nn::AdamW make_optimizer(const nn::Gpt& model) {
  nn::AdamOptions options;
  options.learning_rate = Scalar(1e-3);
  options.beta2 = Scalar(0.95);
  return nn::AdamW(nn::decay_groups(model, Scalar(0.1)), options);
}

void compare_gradients(const nn::Gpt& model, const SafetensorsFile& expected, Problems& problems) {
  for (const auto& [name, variable] : model.named_parameters()) {
    add(problems, difference(variable.grad(), expected, "grad." + nn::gpt2_name(name)));
  }
}

Tensor list_tensor(const std::vector<Scalar>& values) {
  return Tensor({static_cast<Index>(values.size())}, values);
}

}  // namespace

Problems run_model_case(const std::string& folder) {
  const std::unique_ptr<nn::Gpt> loaded = nn::load_gpt2(folder);
  nn::Gpt& model = *loaded;
  const SafetensorsFile expected = SafetensorsFile::open(folder + "/expected.safetensors");
  const Indices tokens = expected.indices("tokens");  // [batch, time + 1]
  const Indices inputs = narrow(tokens, 1, 0, tokens.size(1) - 1);
  const Indices targets = narrow(tokens, 1, 1, tokens.size(1) - 1);

  Problems problems;
  std::vector<Scalar> losses;
  std::vector<Scalar> norms;
  nn::AdamW optimizer = make_optimizer(model);
  for (Index step = 0; step < expected.entry("losses").shape[0]; ++step) {
    optimizer.zero_grad();
    const Variable logits = model(inputs);
    const Variable loss = cross_entropy(logits, targets);
    loss.backward();
    if (step == 0) {
      add(problems, difference(logits.value(), expected, "logits"));
      compare_gradients(model, expected, problems);
    }
    losses.push_back(loss.item());
    norms.push_back(static_cast<Scalar>(nn::clip_grad_norm(optimizer.parameters(), 1.0)));
    optimizer.step();
  }
  const double relative = std::is_same_v<Scalar, double> ? 1e-7 : 1e-4;
  add(problems, relative_difference(list_tensor(losses), expected, "losses", relative));
  add(problems, relative_difference(list_tensor(norms), expected, "grad_norms", relative));
  return problems;
}

}  // namespace vitro::conformance
