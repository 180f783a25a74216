// Rows for operations on elements: pairs and single ones.
#include <functional>

#include "tensor/create.h"

#include "tests/autograd/gradcheck_table.h"

namespace vitro {
namespace {

using Draw = Variable (*)(const Shape&);
using Pair = Variable (*)(const Operand& a, const Operand& b);
using Single = std::function<Variable(const Operand& x)>;

void add_pair(GradcheckRows& rows, const char* name, Pair f, Draw draw_a, Draw draw_b) {
  const auto both = [f](const auto& in) { return f(in[0], in[1]); };
  rows.push_back({name, "equal shapes", both, {draw_a({3, 5}), draw_b({3, 5})}});
  rows.push_back({name, "a stretched", both, {draw_a({5}), draw_b({3, 5})}});
  rows.push_back({name, "b stretched", both, {draw_a({2, 3, 5}), draw_b({3, 1})}});
  rows.push_back({name, "both stretched", both, {draw_a({3, 1, 2}), draw_b({1, 5, 1})}});
  rows.push_back({name, "rank 0 and matrix", both, {draw_a({}), draw_b({2, 3})}});
  // Of two numbers a maximum has one only: with the maximum of -a and -b, both have a gradient.
  const auto of_numbers = [f](const auto& in) { return f(in[0], in[1]) - f(-in[0], -in[1]); };
  const auto of_few = draw_a == apart ? GradcheckFunction(of_numbers) : GradcheckFunction(both);
  rows.push_back({name, "rank 0 both", of_few, {draw_a({}), draw_b({})}});
  rows.push_back({name, "one element", of_few, {draw_a({1, 1}), draw_b({1})}});
  rows.push_back({name, "views", both, {transposed(draw_a, 3, 5), narrowed(draw_b, 3, 5)}});
  rows.push_back({name, "stretched view", both, {draw_a({5, 3}), transposed(draw_b, 1, 3)}});
  rows.push_back({name,
                  "number on the left",
                  [f](const auto& in) { return f(Scalar(0.3), in[0]); },
                  {draw_b({2, 3})}});
  rows.push_back({name,
                  "number on the right",
                  [f](const auto& in) { return f(in[0], Scalar(0.3)); },
                  {draw_a({2, 3})}});
  rows.push_back({name,
                  "used twice",
                  [f](const auto& in) { return f(in[0], in[1]) * in[0] + in[1]; },
                  {draw_a({2, 3}), draw_b({2, 3})}});
}

void add_single(GradcheckRows& rows, const char* name, const char* variant, Draw draw,
                const Single& f) {
  const auto apply = [f](const auto& in) { return f(in[0]); };
  const std::string prefix = variant[0] == '\0' ? "" : std::string(variant) + ", ";
  rows.push_back({name, prefix + "matrix", apply, {draw({3, 5})}});
  rows.push_back({name, prefix + "rank 3", apply, {draw({2, 3, 5})}});
  rows.push_back({name, prefix + "rank 0", apply, {draw({})}});
  rows.push_back({name, prefix + "one element", apply, {draw({1, 1})}});
  rows.push_back({name, prefix + "transposed view", apply, {transposed(draw, 5, 3)}});
  rows.push_back({name, prefix + "narrowed view", apply, {narrowed(draw, 2, 7)}});
  rows.push_back({name, prefix + "longer than a lane", apply, {draw({37})}});
  rows.push_back({name,
                  prefix + "used twice",
                  [f](const auto& in) { return f(in[0]) * in[0] + f(in[0]); },
                  {draw({2, 3})}});
}

void add_plain(GradcheckRows& rows, const char* name, Draw draw, Variable (*f)(const Operand& x)) {
  add_single(rows, name, "", draw, f);
}

}  // namespace

void add_pair_rows(GradcheckRows& rows) {
  add_pair(
      rows, "operator+(a, b)", [](const auto& a, const auto& b) { return a + b; }, any, any);
  add_pair(
      rows, "operator-(a, b)", [](const auto& a, const auto& b) { return a - b; }, any, any);
  add_pair(
      rows, "operator*(a, b)", [](const auto& a, const auto& b) { return a * b; }, positive,
      positive);
  add_pair(
      rows, "operator/(a, b)", [](const auto& a, const auto& b) { return a / b; }, positive,
      positive);
  add_pair(rows, "maximum(a, b)", maximum, apart, apart_from_those);
  add_pair(rows, "minimum(a, b)", minimum, apart, apart_from_those);
  for (const char* name : {"maximum(a, b)", "minimum(a, b)"}) {
    const Pair f = std::string(name) == "maximum(a, b)" ? maximum : minimum;
    rows.push_back({name,
                    "of x and x, all equal",
                    [f](const auto& in) { return f(in[0], in[0]); },
                    {any({2, 3})}});
  }

  const Tensor condition({3, 5}, {1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1});
  const auto choose = [condition](const auto& in) { return where(condition, in[0], in[1]); };
  const char* name = "where(condition, a, b)";
  rows.push_back({name, "equal shapes", choose, {any({3, 5}), any({3, 5})}});
  rows.push_back({name, "a and b stretched", choose, {any({3, 1}), any({5})}});
  rows.push_back({name, "condition stretched", choose, {any({2, 3, 5}), any({2, 3, 5})}});
  rows.push_back({name, "rank 0", choose, {any({}), any({})}});
  rows.push_back({name, "views", choose, {transposed(any, 3, 5), narrowed(any, 3, 5)}});
  rows.push_back({name,
                  "used twice",
                  [condition](const auto& in) { return where(condition, in[0], in[0] * in[0]); },
                  {positive({3, 5})}});
}

void add_elementwise_rows(GradcheckRows& rows) {
  add_single(rows, "operator-(x)", "", any, [](const auto& x) { return -x; });
  for (const double exponent : {2.0, 3.0, 0.5, -1.5, 1.0}) {
    const auto power = static_cast<Scalar>(exponent);
    add_single(rows, "pow(x, exponent)", TextPiece(exponent).text().c_str(), positive,
               [power](const auto& x) { return pow(x, power); });
  }
  rows.push_back({"pow(x, exponent)",
                  "2 of negative numbers",
                  [](const auto& in) { return pow(in[0], 2); },
                  {apart({2, 5})}});
  add_plain(rows, "exp(x)", any, exp);
  add_plain(rows, "log(x)", positive, log);
  add_plain(rows, "sqrt(x)", positive, sqrt);
  add_plain(rows, "abs(x)", apart, abs);
  add_plain(rows, "tanh(x)", any, tanh);
  add_plain(rows, "sigmoid(x)", any, sigmoid);
  add_plain(rows, "relu(x)", apart, relu);
  add_plain(rows, "silu(x)", any, silu);
  add_single(rows, "gelu(x, kind)", "tanh", any,
             [](const auto& x) { return gelu(x, Gelu::kTanh); });
  add_single(rows, "gelu(x, kind)", "erf", any, [](const auto& x) { return gelu(x, Gelu::kErf); });
  add_single(rows, "clamp(x, low, high)", "", apart,
             [](const auto& x) { return clamp(x, Scalar(-0.75), Scalar(0.75)); });
  add_single(rows, "masked_fill(x, mask, value)", "full mask", any, [](const auto& x) {
    Tensor mask = zeros(x.shape());
    if (mask.element_count() > 1) mask.mutable_data()[1] = 1;
    return masked_fill(x, mask, 7);
  });
  rows.push_back({"masked_fill(x, mask, value)",
                  "stretched mask",
                  [](const auto& in) {
                    return masked_fill(in[0], Tensor({3, 1}, {0, 1, 0}), -3);
                  },
                  {any({2, 3, 5})}});
  add_single(rows, "dropout(x, p, rng)", "", any, [](const auto& x) {
    Rng rng(5);  // anew at each call: the same elements are kept
    return dropout(x, Scalar(0.25), rng);
  });
}

}  // namespace vitro
