// Dates as people write them, and in ISO form: the pairs of 11_translate.
#pragma once

#include <vector>

#include "nn/text/lines.h"

#include "examples/common/reverse_task.h"

namespace vitro::examples {

/// All dates from 1900 to 2099 of one part, each in one of five ways of writing it: "5 March 1987",
/// "March 5, 1987", "5 Mar 1987", "5.3.1987", "3/5/1987" (month first), with "1987-03-05". Which
/// part a date belongs to depends on the date, so no other way of writing gives it away.
std::vector<nn::TextPair> date_pairs(Part part, Rng& rng);

}  // namespace vitro::examples
