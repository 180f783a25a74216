#include "autograd/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <utility>

#include "tensor/create.h"
#include "tensor/print.h"

#include "autograd/no_grad.h"

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// Puts values and gradients of the inputs back, also where the function throws.
class InputsKeeper {
 public:
  explicit InputsKeeper(const std::vector<Variable>& inputs) {
    for (const Variable& input : inputs) {
      kept_.push_back(
          {input, input.value(), input.has_grad() ? input.grad() : Tensor(), input.has_grad()});
    }
  }

  ~InputsKeeper() {
    for (Kept& kept : kept_) {
      kept.input.set_value(kept.value);
      kept.input.zero_grad();
      if (kept.had_grad) kept.input.set_grad(kept.grad);
    }
  }

  InputsKeeper(const InputsKeeper&) = delete;
  InputsKeeper& operator=(const InputsKeeper&) = delete;

 private:
  struct Kept {
    Variable input;
    Tensor value;
    Tensor grad;
    bool had_grad;
  };

  std::vector<Kept> kept_;
};

void check_inputs(const std::vector<Variable>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad() && inputs[i].shared_node()->operation == nullptr) continue;
    throw_invalid({"gradcheck: input ", i, " of shape ", inputs[i].shape(),
                   " is no parameter; make it with parameter(…)"});
  }
}

// Random, and none of them near 0: an element with a weight of 0 would not be checked at all.
Tensor random_weights(const Shape& shape, std::uint64_t seed) {
  Rng rng(seed);
  return Tensor::filled(shape, [&](Scalar* out) {
    for (Index i = 0; i < shape.element_count(); ++i) {
      const Scalar size = rng.uniform(Scalar(0.5), Scalar(1.5));
      out[i] = rng.below(2) == 0 ? size : -size;
    }
  });
}

// L = Σ weight · result, in double also where Scalar is float: a rounded sum would drown the slope.
double weighted_sum(const Tensor& result, const std::vector<Scalar>& weights) {
  const std::vector<Scalar> values = result.to_vector();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(weights[i]) * static_cast<double>(values[i]);
  }
  return sum;
}

// The gradients of backward(), input by input; zeros where none arrived.
std::vector<std::vector<Scalar>> gradients_of(const Variable& result, const Tensor& weights,
                                              const std::vector<Variable>& inputs) {
  for (const Variable& input : inputs) input.zero_grad();
  if (result.requires_grad()) result.backward(weights);
  std::vector<std::vector<Scalar>> gradients;
  for (const Variable& input : inputs) {
    gradients.push_back((input.has_grad() ? input.grad() : zeros(input.shape())).to_vector());
  }
  return gradients;
}

// NaN is equal to itself here.
bool same_numbers(const Tensor& a, const Tensor& b) {
  const auto equal = [](Scalar x, Scalar y) { return x == y || (x != x && y != y); };
  const std::vector<Scalar> left = a.to_vector();
  const std::vector<Scalar> right = b.to_vector();
  return a.shape() == b.shape() &&
         std::equal(left.begin(), left.end(), right.begin(), right.end(), equal);
}

// One input's value with one element moved: evaluates L on both sides of where it stands.
class Slope {
 public:
  Slope(const GradcheckFunction& function, const std::vector<Variable>& inputs,
        std::vector<Scalar> weights, double step)
      : function_(function), inputs_(inputs), weights_(std::move(weights)), step_(step) {}

  double at(std::size_t input, std::size_t element) const {
    const NoGrad no_grad;
    Variable moved = inputs_[input];
    const Tensor original = moved.value();
    std::vector<Scalar> values = original.to_vector();
    const double x = static_cast<double>(values[element]);
    const double step = step_ * std::max(1.0, std::fabs(x));
    // The distance is taken between the numbers as Scalar holds them.
    const auto above = static_cast<Scalar>(x + step);
    const auto below = static_cast<Scalar>(x - step);
    const double difference =
        loss_with(moved, values, element, above) - loss_with(moved, values, element, below);
    moved.set_value(original);
    return difference / (static_cast<double>(above) - static_cast<double>(below));
  }

 private:
  double loss_with(Variable& moved, std::vector<Scalar>& values, std::size_t element,
                   Scalar value) const {
    values[element] = value;
    moved.set_value(Tensor(moved.shape(), values));
    return weighted_sum(function_(inputs_).value(), weights_);
  }

  const GradcheckFunction& function_;
  const std::vector<Variable>& inputs_;
  std::vector<Scalar> weights_;
  double step_;
};

void check_options(const GradcheckOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step) || !(options.tolerance >= 0)) {
    throw_invalid({"gradcheck: step is ", options.step, ", tolerance is ", options.tolerance,
                   "; step must be a finite number above 0, tolerance 0 or more"});
  }
}

double error_between(double backward, double slope) {
  const double error =
      std::fabs(backward - slope) / std::max({1.0, std::fabs(backward), std::fabs(slope)});
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

// "[1, 2]": where the element with this row-major number lies.
std::string place_text(const Shape& shape, Index element) {
  std::string text;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    text = join_text({element % shape[axis], text.empty() ? "" : ", ", text});
    element /= shape[axis];
  }
  return "[" + text + "]";
}

std::string result_text(const GradcheckResult& result, const std::vector<Variable>& inputs,
                        double tolerance) {
  const std::string verdict = result.passed ? "gradcheck: passed" : "gradcheck: FAILED";
  if (result.checked_count == 0) return verdict + ", but there was no element to check";
  const Variable& input = inputs[static_cast<std::size_t>(result.input)];
  const std::string name = input.name().empty() ? "" : " '" + input.name() + "'";
  return join_text({verdict, ", worst of ", result.checked_count, ": input ", result.input, name,
                    " at ", place_text(input.shape(), result.element), ": backward ",
                    number_text(result.backward, 9), ", slope ", number_text(result.slope, 9),
                    ", error ", number_text(result.worst_error, 1, /*scientific=*/true),
                    " (allowed ", number_text(tolerance, 0, /*scientific=*/true), ")"});
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const GradcheckResult& result) {
  return out << result.text;
}

}  // namespace VITRO_SCALAR_NAMESPACE

GradcheckResult gradcheck(const GradcheckFunction& function, const std::vector<Variable>& inputs,
                          const GradcheckOptions& options) {
  check_inputs(inputs);
  check_options(options);
  const InputsKeeper keeper(inputs);
  const Variable value = function(inputs);
  const Tensor weights = random_weights(value.shape(), options.seed);
  if (!same_numbers(value.value(), function(inputs).value())) {
    throw_invalid(
        {"gradcheck: the function gives two results for the same inputs; one that draws "
         "random numbers must make its Rng anew at every call"});
  }
  const auto gradients = gradients_of(value, weights, inputs);
  const Slope slope(function, inputs, weights.to_vector(), options.step);

  GradcheckResult result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t k = 0; k < gradients[i].size(); ++k) {
      const double from_backward = static_cast<double>(gradients[i][k]);
      const double from_values = slope.at(i, k);
      const double error = error_between(from_backward, from_values);
      if (result.checked_count++ > 0 && error <= result.worst_error) continue;
      result.worst_error = error;
      result.input = static_cast<Index>(i);
      result.element = static_cast<Index>(k);
      result.backward = from_backward;
      result.slope = from_values;
    }
  }
  result.passed = result.worst_error <= options.tolerance;
  result.text = result_text(result, inputs, options.tolerance);
  return result;
}

}  // namespace vitro
