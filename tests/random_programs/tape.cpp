#include "tests/random_programs/tape.h"

#include <cmath>
#include <limits>

namespace vitro::programs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The functions of tensor/math.h are within 7 half units in the last place (its table: tanh, erf
// and pow in double are the worst); a rounding is within 1.
constexpr double kFunctionUnits = 8;

// What a function adds to the error that came in.
double own_error(const Term& x, double result) {
  return kFunctionUnits * x.tape->unit() * std::fabs(result);
}

}  // namespace

double Term::value() const { return tape->at(id).value; }

double Term::error() const { return tape->at(id).error; }

Term Tape::node(Bounded result, const std::vector<Edge>& edges) {
  if (std::isnan(result.error)) result.error = kInfinity;
  numbers_.push_back(result);
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  edges_end_.push_back(edges_.size());
  return {this, static_cast<int>(numbers_.size()) - 1};
}

Term Tape::rounded(Bounded result, const std::vector<Edge>& edges) {
  result.error += unit_ * (std::fabs(result.value) + result.error);
  return node(result, edges);
}

Term Tape::constant(double value, double error) { return node({value, error}, {}); }

Bounded Tape::product(const Bounded& a, const Bounded& b) const {
  const double value = a.value * b.value;
  const double error =
      std::fabs(a.value) * b.error + a.error * std::fabs(b.value) + a.error * b.error;
  const bool exact =
      (std::fabs(b.value) == 1 && b.error == 0) || (std::fabs(a.value) == 1 && a.error == 0);
  return {value, exact ? error : error + unit_ * (std::fabs(value) + error)};
}

Term Tape::sum(const std::vector<Term>& terms) {
  Bounded total;
  double magnitude = 0;
  std::vector<Edge> edges;
  edges.reserve(terms.size());
  for (const Term& term : terms) {
    const Bounded number = at(term.id);
    total.value += number.value;
    total.error += number.error;
    magnitude += std::fabs(number.value) + number.error;
    edges.push_back({term.id, {1, 0}});
  }
  const auto additions = static_cast<double>(terms.empty() ? 0 : terms.size() - 1);
  total.error += unit_ * additions * magnitude;
  return node(total, edges);
}

Term Tape::dot(const std::vector<Term>& a, const std::vector<Term>& b) {
  Bounded total;
  double magnitude = 0;
  std::vector<Edge> edges;
  edges.reserve(2 * a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Bounded left = at(a[i].id);
    const Bounded right = at(b[i].id);
    const Bounded term = product(left, right);
    total.value += term.value;
    total.error += term.error;
    magnitude += std::fabs(term.value) + term.error;
    edges.push_back({a[i].id, right});
    edges.push_back({b[i].id, left});
  }
  const auto additions = static_cast<double>(a.empty() ? 0 : a.size() - 1);
  total.error += unit_ * additions * magnitude;
  return node(total, edges);
}

std::vector<Bounded> Tape::gradients(const Term& result) const {
  struct Sum {
    Bounded total;
    double magnitude = 0;
    double count = 0;
  };

  std::vector<Sum> sums(numbers_.size());
  std::vector<Bounded> gradients(numbers_.size());
  const auto last = static_cast<std::size_t>(result.id);
  sums[last] = {{1, 0}, 1, 1};
  for (std::size_t id = last + 1; id-- > 0;) {
    const Sum& sum = sums[id];
    if (sum.count == 0) continue;
    gradients[id] = {sum.total.value, sum.total.error + unit_ * (sum.count - 1) * sum.magnitude};
    if (std::isnan(gradients[id].error)) gradients[id].error = kInfinity;
    for (std::size_t i = id == 0 ? 0 : edges_end_[id - 1]; i < edges_end_[id]; ++i) {
      const Bounded part = product(gradients[id], edges_[i].slope);
      Sum& input = sums[static_cast<std::size_t>(edges_[i].input)];
      input.total.value += part.value;
      input.total.error += part.error;
      input.magnitude += std::fabs(part.value) + part.error;
      input.count += 1;
    }
  }
  return gradients;
}

void Tape::choose_by(const Bounded& distance) {
  if (std::fabs(distance.value) <= distance.error) met_a_kink_ = true;
}

// ---- Arithmetic ---------------------------------------------------------------------------------

Term operator+(const Term& a, const Term& b) {
  return a.tape->rounded({a.value() + b.value(), a.error() + b.error()},
                         {{a.id, {1, 0}}, {b.id, {1, 0}}});
}

Term operator-(const Term& a, const Term& b) {
  return a.tape->rounded({a.value() - b.value(), a.error() + b.error()},
                         {{a.id, {1, 0}}, {b.id, {-1, 0}}});
}

Term operator*(const Term& a, const Term& b) {
  const Bounded left = a.tape->at(a.id);
  const Bounded right = a.tape->at(b.id);
  return a.tape->node(a.tape->product(left, right), {{a.id, right}, {b.id, left}});
}

Term operator/(const Term& a, const Term& b) {
  Tape& tape = *a.tape;
  const double size = std::fabs(b.value()) - b.error();  // the least that |b| may be
  const double inverse_value = 1 / b.value();
  const Bounded inverse{inverse_value, size > 0 ? b.error() / (size * std::fabs(b.value())) +
                                                      tape.unit() * std::fabs(inverse_value)
                                                : kInfinity};
  const Bounded result = tape.product(tape.at(a.id), inverse);
  const Bounded slope = tape.product(result, {-inverse.value, inverse.error});  // -a/b²
  return tape.node(result, {{a.id, inverse}, {b.id, slope}});
}

Term operator-(const Term& x) { return x.tape->node({-x.value(), x.error()}, {{x.id, {-1, 0}}}); }

Term operator*(const Term& x, double factor) {
  const Bounded number{factor, x.tape->unit() * std::fabs(factor)};
  return x.tape->node(x.tape->product(x.tape->at(x.id), number), {{x.id, number}});
}

Term operator+(const Term& x, double number) {
  return x + x.tape->constant(number, x.tape->unit() * std::fabs(number));
}

// ---- Functions; x may be off by e ---------------------------------------------------------------

Term exp(const Term& x) {
  const double y = std::exp(x.value());
  const Bounded result{y, y * std::expm1(x.error()) + own_error(x, y)};  // e^(x+e) - e^x
  return x.tape->node(result, {{x.id, result}});
}

Term log(const Term& x) {
  Tape& tape = *x.tape;
  const double share = x.error() / x.value();
  const double y = std::log(x.value());
  const double moved = share < 1 ? -std::log1p(-share) : kInfinity;  // log x - log(x - e)
  const Bounded slope{1 / x.value(),
                      share < 1 ? (share / (1 - share) + tape.unit()) / x.value() : kInfinity};
  return tape.node({y, moved + own_error(x, y)}, {{x.id, slope}});
}

Term sqrt(const Term& x) {
  Tape& tape = *x.tape;
  const double y = std::sqrt(x.value());
  const double e = x.error();
  const bool known = e < x.value();  // else even the sign is unknown
  const double moved = e == 0 ? 0 : known ? y - std::sqrt(x.value() - e) : kInfinity;
  const Bounded root{y, moved + tape.unit() * y};
  const double least = y - root.error;
  const Bounded slope{0.5 / y,
                      least > 0 ? 0.5 * root.error / (y * least) + tape.unit() / y : kInfinity};
  return tape.node(root, {{x.id, slope}});
}

Term tanh(const Term& x) {
  Tape& tape = *x.tape;
  const double y = std::tanh(x.value());
  const double e = x.error();
  // |tanh''| < 1. Twice e wherever the slope is: |tanh(x + e) - tanh(x)| is below 2 anyway.
  const Bounded result{y, std::fmin((1 - y * y) * e + e * e, 2) + own_error(x, y)};
  const Bounded square = tape.product(result, result);
  const Bounded slope{1 - square.value, square.error + tape.unit()};
  return tape.node(result, {{x.id, slope}});
}

Term sigmoid(const Term& x) {
  Tape& tape = *x.tape;
  const double y = 1 / (1 + std::exp(-x.value()));
  const double e = x.error();
  const Bounded result{y, std::fmin(y * (1 - y) * e + e * e, 1) + own_error(x, y)};
  const Bounded rest{1 - y, result.error + tape.unit() * (1 - y)};
  return tape.node(result, {{x.id, tape.product(result, rest)}});
}

Term erf(const Term& x) {
  Tape& tape = *x.tape;
  const double y = std::erf(x.value());
  const double e = x.error();
  const double slope_value = 1.1283791670955126 * std::exp(-x.value() * x.value());  // 2/√π e^-x²
  const Bounded result{y, std::fmin(slope_value * e + e * e, 2) + own_error(x, y)};
  // The exponent's error is |2x| e + e² and its rounding.
  const double exponent_error =
      2 * std::fabs(x.value()) * e + e * e + tape.unit() * x.value() * x.value();
  const Bounded slope{slope_value,
                      slope_value * std::expm1(exponent_error) + own_error(x, 2 * slope_value)};
  return tape.node(result, {{x.id, slope}});
}

namespace {

// x^exponent for x that may be off by e.
Bounded power(const Term& x, double exponent) {
  const double size = std::fabs(x.value());
  const double e = x.error();
  const double y = std::pow(x.value(), exponent);
  if (exponent == 0) return {1, 0};
  double moved = 0;
  if (exponent > 0 && exponent == std::floor(exponent)) {
    moved = std::pow(size + e, exponent) - std::pow(size, exponent);
  } else if (e > 0) {
    // x > 0: (x - e)^-|p| moves further than (x + e)^|p|, relative to the result.
    moved =
        e < size ? std::fabs(y) * (std::pow(1 - e / size, -std::fabs(exponent)) - 1) : kInfinity;
  }
  return {y, moved + own_error(x, y)};
}

}  // namespace

Term pow(const Term& x, double exponent) {
  Tape& tape = *x.tape;
  if (exponent == 0) return tape.constant(1);
  const Bounded factor{exponent, 0};
  const Bounded slope = tape.product(factor, power(x, exponent - 1));
  return tape.node(power(x, exponent), {{x.id, slope}});
}

Term larger(const Term& a, const Term& b) {
  a.tape->choose_by({a.value() - b.value(), a.error() + b.error()});
  return a.value() > b.value() ? a : b;
}

Term smaller(const Term& a, const Term& b) {
  a.tape->choose_by({a.value() - b.value(), a.error() + b.error()});
  return a.value() < b.value() ? a : b;
}

Term abs(const Term& x) {
  x.tape->choose_by({x.value(), x.error()});
  return x.value() < 0 ? -x : x;
}

Term detached(const Term& x) { return x.tape->constant(x.value(), x.error()); }

}  // namespace vitro::programs
