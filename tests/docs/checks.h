// The checks that keep pages true. Each looks at one page and says what is wrong with it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/docs/page.h"
#include "tests/docs/tree.h"

namespace vitro::docs {

using Check = Findings (*)(const Page& page, const Tree& tree);

struct NamedCheck {
  const char* name;
  Check check;
};

const std::vector<NamedCheck>& all_checks();

// ---- What is quoted (checks_quotes.cpp) ---------------------------------------------------------

/// What a fence with `from=` has to hold: `cpp from=FILE#name` a whole function or class, `text
/// from=FILE start="first words" lines=3` lines of recorded output (without `lines`: up to the next
/// empty line; without `start`: all). On failure `text` is empty and `error` says why.
struct Quote {
  std::string text;
  std::string error;
};

Quote quoted_text(const Fence& fence, const Tree& tree);

/// Fences hold what they quote; `cpp` and `text` always quote, and `diff from=FILE` removes and
/// keeps lines that are there.
Findings quotes_are_true(const Page& page, const Tree& tree);

// ---- What is named (checks_names.cpp) -----------------------------------------------------------

/// Paths in backticks exist.
Findings paths_exist(const Page& page, const Tree& tree);
/// Identifiers in backticks exist in the code; options exist in the programs.
Findings symbols_exist(const Page& page, const Tree& tree);
/// Links lead to a file, and to a heading in it where they say so.
Findings links_resolve(const Page& page, const Tree& tree);
/// Programs and options in `sh` fences exist.
Findings commands_exist(const Page& page, const Tree& tree);

// ---- What is claimed (checks_claims.cpp) --------------------------------------------------------

/// Times and speeds stand only in fences that quote a benchmark's record.
Findings timings_are_recorded(const Page& page, const Tree& tree);
/// Every $ has its partner, and every brace, \left and \begin inside.
Findings formulas_are_balanced(const Page& page, const Tree& tree);
/// A chapter has all its parts in their order, and 800 to 1,800 words.
Findings chapters_are_whole(const Page& page, const Tree& tree);
/// docs/map.md names every operation, module, header, example and folder of tests.
Findings map_is_complete(const Page& page, const Tree& tree);

/// Words of prose: fences do not count.
int word_count(const Page& page);

}  // namespace vitro::docs
