#include "tests/explorer/recordings.h"

#include <array>
#include <cstdio>
#include <limits>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/random.h"

#include "autograd/ops.h"

#include "nn/models/gpt.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"

namespace vitro::test {
namespace {

Variable leaf(const Shape& shape, const std::string& name, Rng& rng) {
  return parameter(normal(shape, 0, 1, rng), name);
}

// Adds up everything, each number with a weight of its own, so that gradients differ.
class Total {
 public:
  explicit Total(Rng& rng) : rng_(rng) {}

  void add(const Variable& x) {
    const Variable weighted = sum(x * Variable(uniform(x.shape(), -1, 1, rng_)));
    total_ = total_.is_defined() ? total_ + weighted : weighted;
  }

  const Variable& value() const { return total_; }

 private:
  Rng& rng_;
  Variable total_;
};

void add_elementwise(Total& total, Rng& rng) {
  const Variable a = leaf({3, 5}, "a", rng);
  const Variable b = leaf({5}, "b", rng);
  const Variable positive = exp(b);
  total.add(a + b);
  total.add(a - b);
  total.add(a * b);
  total.add(a / positive);
  total.add(maximum(a, b));
  total.add(minimum(a, b));
  total.add(where(greater(a.value(), zeros({})), a, b));
  for (const Variable& y : {-a, pow(positive, Scalar(2.5)), log(positive), sqrt(positive), abs(a),
                            tanh(a), sigmoid(a), relu(a), silu(a), gelu(a), gelu(a, Gelu::kErf),
                            clamp(a, Scalar(-0.5), Scalar(0.5)), dropout(a, Scalar(0.4), rng)}) {
    total.add(y);
  }
}

void add_shapes(Total& total, Rng& rng) {
  const Variable x = leaf({2, 3, 4}, "x", rng);
  const Variable row = leaf({1, 4}, "row", rng);
  const Indices ids({2, 2, 4}, {0, 1, 2, 0, 2, 2, 1, 1, 0, 0, 0, 0, 1, 2, 1, 2});
  for (const Variable& y :
       {reshape(x, {6, 4}), view(x, {2, 12}), transpose(x, 0, 2), permute(x, {2, 0, 1}),
        narrow(x, 1, 1, 2), broadcast_to(row, {3, 4}), unsqueeze(x, -1), squeeze(row, 0),
        cat({x, x}, 1), stack({row, row, row}, 1), gather(x, 1, ids)}) {
    total.add(y);
  }
  for (const Variable& y : {sum(x, {1}), mean(x, {0, -1}), var(x, {2}, KeepAxes::kYes), max(x)}) {
    total.add(y);
  }
}

void add_layers(Total& total, Rng& rng) {
  const Variable q = leaf({2, 3, 4}, "q", rng);
  const Variable k = leaf({2, 5, 4}, "k", rng);
  const Variable w = leaf({4, 7}, "w", rng);
  const Variable bias = leaf({7}, "bias", rng);
  const Variable gain = leaf({4}, "gain", rng);
  const Variable shift = leaf({4}, "shift", rng);
  const Variable hidden = linear(q, w, bias);
  total.add(linear(q, w, bias, hidden));
  total.add(matmul(q, transpose(k, -2, -1)));
  total.add(matmul(q, w));  // one matrix for all rows
  total.add(softmax(hidden, 1));
  total.add(log_softmax(hidden, -1));
  total.add(layer_norm(q, gain, shift));
  total.add(rms_norm(q, gain));
  total.add(rotary(q, 100, 3));
  total.add(embedding(w, Indices({2, 3}, {0, 3, 3, 1, 0, 3})));
  total.add(cross_entropy(hidden, Indices({2, 3}, {0, 6, -100, 3, 3, 1}),
                          {.label_smoothing = Scalar(0.1)}));
  total.add(mean_squared_error(q, tanh(q)));
  AttentionMask causal;
  causal.causal = true;
  total.add(matmul(attention_weights(q, k, causal), k));
}

}  // namespace

std::string every_operation_page() {
  Rng rng(7);
  Trace trace({.title = "every operation"});
  Total total(rng);
  add_elementwise(total, rng);
  add_shapes(total, rng);
  add_layers(total, rng);
  total.value().backward();
  return trace.page();
}

std::string gpt_page() {
  Rng rng(3);
  nn::Gpt model(
      {.vocab_size = 23, .block_size = 16, .layer_count = 2, .head_count = 4, .channels = 48}, rng);
  nn::AdamW optimizer(nn::decay_groups(model, Scalar(0.1)), {});
  std::vector<std::string> tokens;
  std::vector<Index> ids;
  for (Index i = 0; i < 16; ++i) {
    ids.push_back(rng.below(23));
    tokens.emplace_back(1, static_cast<char>('a' + ids.back()));
  }
  std::vector<Index> targets(ids.begin() + 1, ids.end());
  targets.push_back(0);
  Trace trace({.title = "GPT", .tokens = tokens});
  const Variable loss = cross_entropy(model(Indices({1, 16}, ids)), Indices({1, 16}, targets));
  loss.backward();
  nn::clip_grad_norm(optimizer.parameters(), 1.0);
  optimizer.step();
  return trace.page();
}

std::string hostile_page() {
  const std::vector<std::string> tokens = {"</script><script>document.title='broken'</script>",
                                           "<!--",
                                           "\"'`",
                                           std::string("\0\x01\x1b[31m", 7),
                                           "\xff\xfe\xc3",
                                           "\xe2\x80\xa8"};
  Rng rng(5);
  Trace trace({.title = "</title><script>document.title='broken'</script>",
               .configuration = {{"<b>", "\"&\"</script>"}},
               .tokens = tokens,
               .classes = {"<img src=x onerror=\"document.title='broken'\">", "\n", "]]>"}});
  const Variable x(normal({6, 3}, 0, 1, rng));
  x.set_name("</script>");
  const Variable w = parameter(normal({3, 3}, 0, 1, rng), "<script>\xff");
  const Variable logits = matmul(x, w) / std::numeric_limits<Scalar>::quiet_NaN();
  cross_entropy(logits, Indices({6}, {0, 1, 2, 0, 1, 2})).backward();
  return trace.page();
}

CommandResult run_command(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "no shell"};
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  return {pclose(pipe), text};
}

}  // namespace vitro::test
