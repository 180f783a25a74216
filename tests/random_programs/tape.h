// Tape: single numbers, each with a bound of how far a computation in Scalar may be from it, and
// their gradients with such bounds as well. The plain reference of the random programs.
#pragma once

#include <cstddef>
#include <vector>

namespace vitro::programs {

/// Whoever computed the same with roundings is within `error` of `value`.
struct Bounded {
  double value = 0;
  double error = 0;
};

class Tape;

/// One number on a tape.
struct Term {
  Tape* tape = nullptr;
  int id = -1;

  double value() const;
  double error() const;
};

/// A running error bound (Higham, "Accuracy and Stability of Numerical Algorithms", 3.3), forward
/// and backward. Every step adds what its inputs' errors may do to it, and its own rounding, which
/// is at most `unit` of the result. A sum of n terms adds unit · (n - 1) · Σ|terms|, which holds
/// for every order of summation. Gradients are computed by the same arithmetic from the slopes,
/// which carry bounds themselves, so their bounds need no second derivatives.
class Tape {
 public:
  /// `unit`: what one step may be wrong by, relative to its result.
  explicit Tape(double unit) : unit_(unit) {}

  double unit() const { return unit_; }

  Term constant(double value, double error = 0);

  struct Edge {
    int input;
    Bounded slope;  // d(result) / d(input)
  };

  /// A result whose `error` already holds everything.
  Term node(Bounded result, const std::vector<Edge>& edges);
  /// A result whose own rounding is still to be added to `error`.
  Term rounded(Bounded result, const std::vector<Edge>& edges);

  Term sum(const std::vector<Term>& terms);
  /// Σ a_i · b_i.
  Term dot(const std::vector<Term>& a, const std::vector<Term>& b);

  /// d(result) / d(every number), by id.
  std::vector<Bounded> gradients(const Term& result) const;

  /// Notes that a choice depends on the sign of `distance`: within its error it is a kink.
  void choose_by(const Bounded& distance);

  /// Whether a choice was too close to tell which side a rounded computation takes.
  bool met_a_kink() const { return met_a_kink_; }

  Bounded at(int id) const { return numbers_[static_cast<std::size_t>(id)]; }

  /// a · b with all errors, and its rounding unless one of them is exactly 1 or -1.
  Bounded product(const Bounded& a, const Bounded& b) const;

 private:
  double unit_;
  bool met_a_kink_ = false;
  std::vector<Bounded> numbers_;
  std::vector<std::size_t> edges_end_;  // by id
  std::vector<Edge> edges_;
};

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator-(const Term& x);
/// Numbers in a formula are rounded to Scalar too.
Term operator*(const Term& x, double factor);
Term operator+(const Term& x, double number);

Term exp(const Term& x);
Term log(const Term& x);
Term sqrt(const Term& x);
Term tanh(const Term& x);
Term sigmoid(const Term& x);
Term erf(const Term& x);
Term pow(const Term& x, double exponent);

/// Choices: the result is one of the inputs.
Term larger(const Term& a, const Term& b);
Term smaller(const Term& a, const Term& b);
Term abs(const Term& x);

/// The same number, through which no gradient flows.
Term detached(const Term& x);

}  // namespace vitro::programs
