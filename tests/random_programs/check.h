// What must hold for a program's runs, and how a run that fails is shown.
#pragma once

#include <string>
#include <vector>

#include "tests/random_programs/run.h"

namespace vitro::programs {

/// How tight the bounds were, over everything that was compared.
struct Tightness {
  Index number_count = 0;
  Index loose_count = 0;   ///< bounds of more than 1/200 of the largest number around
  double worst_share = 0;  ///< the largest difference, relative to its bound

  void add(const Tightness& other);
};

/// "" where the run fits, else the first number that does not: whose, which, both numbers.
std::string difference_from(const Expected& expected, const Outcome& outcome,
                            const std::string& what, Tightness& tightness);

/// "" where every bit agrees; gradients are left out where one of them has none.
std::string bit_difference(const Outcome& a, const Outcome& b, const std::string& what);

/// The runs of one program that need one thread only: recorded, without history, spelled out; and
/// what they are compared with.
struct Checked {
  Expected expected;
  Outcome outcome;
  std::string fault;  // "" where all is well
  Tightness tightness;
};

Checked check(const Program& program, int sabotaged_operation = -1);

/// `fault`, the seed, the listing, and the shortest beginning of the program that fails too.
std::string report(const Program& program, const std::string& fault, int sabotaged_operation = -1);

}  // namespace vitro::programs
