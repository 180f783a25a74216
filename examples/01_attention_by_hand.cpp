// 01: self-attention on "How are you?", number by number.
//
// Each word asks all words what they have to offer, and takes a mixture of what they give:
//
//     attention(X) = softmax(Q Kᵀ / √d_k) V      Q = X W_Q    K = X W_K    V = X W_V
//
// First for the single word "How" with plain loops, then for all words at once as matrices, then by
// the library's layer. All three agree.
//
// Takes less than a second.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/math.h"
#include "tensor/matmul.h"
#include "tensor/pictures/heatmap.h"
#include "tensor/print.h"
#include "tensor/softmax.h"
#include "tensor/views.h"

#include "nn/layers/self_attention.h"

#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_main.h"
#include "examples/common/terminal.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "01_attention_by_hand";
constexpr Index kWordCount = 3;
constexpr Index kModelWidth = 4;  // d_model
constexpr Index kKeyWidth = 4;    // d_k
constexpr Index kValueWidth = 2;  // d_v

const std::vector<std::string> kWords = {"How", "are", "you"};

/// Everything that a model would learn; here chosen by hand, so that it can be read.
struct Weights {
  // What the words are: asks, acts, person, polite.
  Tensor x = Tensor({3, 4}, {1, 0, 0, 1,    // How
                             0, 1, 0, 0,    // are
                             0, 0, 1, 1});  // you
  // What a word looks for. "How" asks, so it looks for an act (2) and, more, for a person (4).
  Tensor w_q = Tensor({4, 4}, {0, 2, 4, 0,    // asks
                               0, 0, 2, 0,    // acts
                               0, 4, 0, 0,    // person
                               0, 0, 0, 2});  // polite
  // What a word offers: simply what it is.
  Tensor w_k = Tensor({4, 4}, {1, 0, 0, 0,  //
                               0, 1, 0, 0,  //
                               0, 0, 1, 0,  //
                               0, 0, 0, 1});
  // What a word gives when it is looked at.
  Tensor w_v = Tensor({4, 2}, {1, 0,    // asks
                               0, 2,    // acts
                               3, 3,    // person
                               1, 0});  // polite
};

void show(const std::string& name, const Tensor& x) {
  std::cout << name << " = " << to_string(x, {.decimals = 3}) << "\n\n";
}

std::string number(Scalar value) {
  const auto wide = static_cast<double>(value);
  return number_text(wide, wide == std::floor(wide) ? 0 : 3);
}

/// "0·1 + 2·0 + … = 2", and the 2.
Scalar dot_product(const std::vector<Scalar>& a, const std::vector<Scalar>& b, std::string& text) {
  Scalar sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
    text += (i == 0 ? "" : " + ") + number(a[i]) + "·" + number(b[i]);
  }
  text += " = " + number(sum);
  return sum;
}

std::vector<Scalar> row(const Tensor& x, Index i) { return narrow(x, 0, i, 1).to_vector(); }

/// The mixture for word number 0, one number after the other. k is [words, d_k], v [words, d_v].
std::vector<Scalar> attend_from_how(const std::vector<Scalar>& q, const Tensor& k,
                                    const Tensor& v) {
  std::cout << "It asks with its row of Q, q = [" << number(q[0]) << ", " << number(q[1]) << ", "
            << number(q[2]) << ", " << number(q[3]) << "].\n\n"
            << "1. Scores: how well does each key answer the query of \"How\"? q · k\n";
  std::vector<Scalar> scores;
  for (Index word = 0; word < kWordCount; ++word) {
    std::string text;
    scores.push_back(dot_product(q, row(k, word), text));
    std::cout << "   with " << kWords[word] << ":  " << text << "\n";
  }

  std::cout
      << "\n2. Divide by √d_k = √" << kKeyWidth << " = 2. A dot product of d_k numbers grows "
      << "with √d_k, and\n   a softmax of large numbers is all 0 and 1: it would not learn.\n";
  for (Scalar& score : scores) score /= std::sqrt(Scalar(kKeyWidth));
  for (Index word = 0; word < kWordCount; ++word) {
    std::cout << "   with " << kWords[word] << ":  " << number(scores[word]) << "\n";
  }

  std::cout << "\n3. Softmax: e^score / (sum of all e^score). Positive, and together 1.\n";
  Scalar sum = 0;
  for (const Scalar score : scores) sum += math::exp(score);
  std::vector<Scalar> weights;
  for (Index word = 0; word < kWordCount; ++word) {
    weights.push_back(math::exp(scores[word]) / sum);
    std::cout << "   on " << kWords[word] << ":  e^" << number(scores[word]) << " / " << number(sum)
              << " = " << number(weights[word]) << "\n";
  }

  std::cout << "\n4. Mixture: what each word gives, by its weight.\n";
  std::vector<Scalar> mixture;
  for (Index channel = 0; channel < kValueWidth; ++channel) {
    std::vector<Scalar> given;
    for (Index word = 0; word < kWordCount; ++word) given.push_back(v.at({word, channel}));
    std::string text;
    mixture.push_back(dot_product(weights, given, text));
    std::cout << "   channel " << channel << ":  " << text << "\n";
  }
  return mixture;
}

/// All words at once: the same four steps, each one line. Returns [words, d_v].
Tensor attend_as_matrices(const Tensor& q, const Tensor& k, const Tensor& v, TerminalColor color) {
  const Tensor scores = matmul(q, transpose(k, 0, 1));          // [words, words]
  const Tensor scaled = scores / std::sqrt(Scalar(kKeyWidth));  // [words, words]
  const Tensor weights = softmax(scaled, /*axis=*/-1);          // [words, words], rows sum to 1
  const Tensor mixture = matmul(weights, v);                    // [words, d_v]
  show("1. scores  = Q Kᵀ", scores);
  show("2. scaled  = scores / √d_k", scaled);
  show("3. weights = softmax of each row", weights);
  std::cout << heatmap_text(weights,
                            {.title = "Who looks at whom",
                             .row_axis = "query",
                             .column_axis = "key",
                             .row_labels = kWords,
                             .column_labels = kWords},
                            color)
            << "\n";
  show("4. mixture = weights V", mixture);
  return mixture;
}

/// The library's layer with our weights in it. With --trace, the page also shows how much each
/// number moves the sum of the mixture.
Tensor attend_by_layer(const Weights& weights, StepRecording& recording) {
  Rng rng(1);
  nn::SelfAttention attention(kModelWidth, kKeyWidth, kValueWidth, rng);
  for (auto& [name, parameter] : attention.named_parameters()) {
    if (name == "w_q") parameter.set_value(weights.w_q);
    if (name == "w_k") parameter.set_value(weights.w_k);
    if (name == "w_v") parameter.set_value(weights.w_v);
  }
  recording.record(&attention, [&] {
    const Variable x(weights.x);
    x.set_name("X");
    sum(attention(x)).backward();
  });
  return attention(Variable(weights.x)).value();  // [words, d_v]
}

double largest_difference(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

int run(const std::string& color_mode, const std::string& trace) {
  check_trace(trace);
  const TerminalColor color = choose_color(color_mode, terminal_state(OutputStream::kOut));
  const Weights weights;
  std::cout << "== The words and the weights\n\n";
  show("X (asks, acts, person, polite)", weights.x);
  show("W_Q", weights.w_q);
  show("W_K", weights.w_k);
  show("W_V", weights.w_v);

  std::cout
      << "== Three roles for each word: Q = X W_Q looks, K = X W_K offers, V = X W_V gives\n\n";
  const Tensor q = matmul(weights.x, weights.w_q);  // [words, d_k]
  const Tensor k = matmul(weights.x, weights.w_k);  // [words, d_k]
  const Tensor v = matmul(weights.x, weights.w_v);  // [words, d_v]
  show("Q", q);
  show("K", k);
  show("V", v);

  std::cout << "== The word \"How\" alone\n\n";
  const std::vector<Scalar> how = attend_from_how(row(q, 0), k, v);
  std::cout << "\n== All words at once\n\n";
  const Tensor all = attend_as_matrices(q, k, v, color);
  std::cout << "== The same by nn::SelfAttention\n\n";
  StepRecording recording(trace, {.program = kProgram, .tokens = kWords});
  const Tensor layer = attend_by_layer(weights, recording);
  show("SelfAttention(X)", layer);

  const double by_hand = largest_difference(row(all, 0), how);
  const double by_layer = largest_difference(all.to_vector(), layer.to_vector());
  const bool agree = by_hand < 1e-5 && by_layer < 1e-5;
  std::cout << "largest difference, by hand and as matrices: " << by_hand
            << "\nlargest difference, matrices and layer:      " << by_layer
            << (agree ? "\nAll three agree.\n" : "\nThey do NOT agree.\n");
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    std::string color = "auto";
    std::string trace;
    CommandLine command_line(kProgram, "self-attention on \"How are you?\", number by number.");
    add_trace_option(command_line, trace);
    add_color_option(command_line, color);
    return command_line.parse(argc, argv) ? run(color, trace) : 0;
  });
}
