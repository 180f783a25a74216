// 02: gradients, by hand and by the library, and how to check them.
//
// A gradient says how much the result moves when one number moves a little. By the chain rule each
// operation passes on the gradient that it receives, times its own slope; `backward()` does that
// for any expression. Whether it did it right, differences tell: move the number, look at the
// result.
//
// Takes less than a second.
#include <cmath>
#include <iostream>
#include <string>

#include "tensor/arithmetic.h"
#include "tensor/math.h"
#include "tensor/print.h"

#include "autograd/gradcheck.h"
#include "autograd/ops.h"

#include "examples/common/command_line.h"
#include "examples/common/recording.h"
#include "examples/common/run_main.h"

namespace vitro::examples {
namespace {

constexpr const char* kProgram = "02_gradients";

Variable number(const std::string& name, Scalar value) {
  return parameter(Tensor(Shape{}, {value}), name);
}

std::string right_aligned(double value) {
  const std::string text = number_text(value, 4);
  return std::string(12 - text.size(), ' ') + text;
}

/// One line of a comparison. Returns whether the two agree to five digits.
bool compare(const std::string& what, double expected, double by_library) {
  const bool agree = std::fabs(expected - by_library) <= 1e-5 * std::fmax(1, std::fabs(expected));
  std::cout << "  " << what << std::string(8 - what.size(), ' ') << right_aligned(expected) << "  "
            << right_aligned(by_library) << (agree ? "\n" : "   DIFFERENT\n");
  return agree;
}

double grad_of(const Variable& x) { return static_cast<double>(x.grad().item()); }

double value_of(const Variable& x) { return static_cast<double>(x.item()); }

/// One neuron with two inputs: y = tanh(w1 x1 + w2 x2 + b). It is what --trace records.
bool one_neuron(StepRecording& recording) {
  std::cout << "== One neuron: y = tanh(w1·x1 + w2·x2 + b), with x = (2, -1), w = (0.5, -0.25), "
               "b = 0.1\n\n";
  // By hand, forward ...
  const double x1 = 2, x2 = -1, w1 = 0.5, w2 = -0.25, b = 0.1;
  const double sum = w1 * x1 + w2 * x2 + b;  // 1.35
  const double y = math::tanh(sum);
  // ... and backward, from the result to the inputs.
  const double grad_y = 1;                       // y moves as y moves
  const double grad_sum = grad_y * (1 - y * y);  // d tanh(s)/ds = 1 - tanh(s)²
  const double grad_w1 = grad_sum * x1;          // a product passes on the other factor
  const double grad_x1 = grad_sum * w1;
  const double grad_w2 = grad_sum * x2;
  const double grad_x2 = grad_sum * w2;
  const double grad_b = grad_sum;  // a sum passes on what it gets

  // The same by the library: write the formula, call backward().
  const Variable vx1 = number("x1", 2), vx2 = number("x2", -1), vb = number("b", Scalar(0.1));
  const Variable vw1 = number("w1", Scalar(0.5)), vw2 = number("w2", Scalar(-0.25));
  Variable vy;
  const auto compute = [&] {
    vy = tanh(vw1 * vx1 + vw2 * vx2 + vb);
    vy.backward();
  };
  recording.is_wanted() ? recording.record(nullptr, compute) : compute();

  std::cout << "               by hand    backward()\n";
  bool agree = compare("y", y, value_of(vy));
  agree &= compare("dy/dw1", grad_w1, grad_of(vw1));
  agree &= compare("dy/dx1", grad_x1, grad_of(vx1));
  agree &= compare("dy/dw2", grad_w2, grad_of(vw2));
  agree &= compare("dy/dx2", grad_x2, grad_of(vx2));
  return compare("dy/db", grad_b, grad_of(vb)) && agree;
}

/// The expression in the README of Karpathy's micrograd, whose numbers are published.
bool micrograd_expression() {
  std::cout << "\n== A longer expression: micrograd's, with a = -4, b = 2\n\n";
  const Variable a = number("a", -4);
  const Variable b = number("b", 2);
  Variable c = a + b;
  Variable d = a * b + pow(b, 3);
  c = c + c + Scalar(1);  // used twice: its gradients add up
  c = c + Scalar(1) + c + (-a);
  d = d + d * Scalar(2) + relu(b + a);
  d = d + Scalar(3) * d + relu(b - a);
  const Variable e = c - d;
  const Variable f = pow(e, 2);
  Variable g = f / Scalar(2);
  g = g + Scalar(10) / f;
  g.backward();

  std::cout << "             published    backward()\n";
  bool agree = compare("g", 24.70408163265306, value_of(g));
  agree &= compare("dg/da", 138.8338192419825, grad_of(a));
  return compare("dg/db", 645.5772594752186, grad_of(b)) && agree;
}

/// x³ as an operation of one's own. Its slope is 3x²; other factors are mistakes to be found.
Variable cube(const Operand& x, Scalar factor) {
  const Tensor value = x.value();
  const Tensor y = value * value * value;
  return record("cube", y, {x}, [value, factor](const Tensor& grad) -> Gradients {
    return {grad * (factor * value * value)};
  });
}

/// Gradients against differences: a right one passes, wrong ones are caught.
bool gradient_checks() {
  std::cout
      << "\n== Checking gradients: backward() beside the slope that the values have,\n"
         "   (L(x + step) - L(x - step)) / (2 · step)\n\n"
         "This program computes in float: 7 digits, of which a difference keeps 3 or 4. So the "
         "check\nhas to be patient. The library's tests run in double, where a millionth "
         "is too much.\n\n";
  const Variable x = parameter(
      Tensor({2, 3}, {Scalar(0.5), -1, Scalar(1.5), Scalar(-0.75), Scalar(1.25), 2}), "x");
  const auto check = [&x](const std::string& what, Scalar factor) {
    const GradcheckResult result =
        gradcheck([factor](const std::vector<Variable>& in) { return cube(in[0], factor); }, {x});
    std::cout << what << "\n  " << result << "\n\n";
    return result.passed;
  };
  const bool right = check("x³ with the slope 3x²:", 3);
  const bool slip = check("x³ with the slope 2x², a slip:", 2);
  const bool nearly = check("x³ with the slope 2.97x², 1 % too small:", Scalar(2.97));
  return right && !slip && !nearly;
}

int run(const std::string& trace) {
  check_trace(trace);
  StepRecording recording(trace, {.program = kProgram});
  bool as_claimed = one_neuron(recording);
  as_claimed &= micrograd_expression();
  as_claimed &= gradient_checks();
  std::cout << (as_claimed ? "All numbers agree, and the wrong gradients were caught.\n"
                           : "Something is NOT as claimed above.\n");
  return as_claimed ? 0 : 1;
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  using namespace vitro::examples;
  return run_main(kProgram, [&] {
    CommandLine command_line(kProgram, "gradients by hand, by backward(), and checked.");
    std::string trace;
    add_trace_option(command_line, trace);
    return command_line.parse(argc, argv) ? run(trace) : 0;
  });
}
