// docs/pitfalls.md against the tests: every id has its row, every row its tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/docs/page.h"

namespace vitro::docs {

/// The ids of all known pitfalls: "01" stands for BL-01.
const std::vector<std::string>& pitfall_ids();

/// The tests in a C++ source, "Suite.Name".
std::set<std::string> tests_of_source(const std::string& text);

/// The tests that a CMakeLists.txt of tests/build_flags adds and that are named after a pitfall.
std::set<std::string> tests_of_build_flags(const std::string& text);

/// What is wrong: an id of `ids` without its one row, a row of another id, a row that names no test
/// of its id or one that `tests` does not hold, a test that is named after a pitfall and is not in
/// its row, or not named in the form BL01_Words. Line 0 is for what stands nowhere on the page.
Findings pitfall_faults(const Page& page, const std::set<std::string>& tests,
                        const std::vector<std::string>& ids);

}  // namespace vitro::docs
