#include "examples/common/date_pairs.h"

#include <array>
#include <string>

#include "tensor/error.h"

namespace vitro::examples {
namespace {

constexpr std::array<const char*, 12> kMonths = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};

Index days_in(Index year, Index month) {
  constexpr std::array<Index, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::string written(Index year, Index month, Index day, Index way) {
  const std::string name = kMonths[static_cast<std::size_t>(month - 1)];
  switch (way) {
    case 0:
      return join_text({day, " ", name, " ", year});
    case 1:
      return join_text({name, " ", day, ", ", year});
    case 2:
      return join_text({day, " ", name.substr(0, 3), " ", year});
    case 3:
      return join_text({day, ".", month, ".", year});
    default:
      return join_text({month, "/", day, "/", year});
  }
}

std::string two_digits(Index number) { return join_text({number < 10 ? "0" : "", number}); }

}  // namespace

std::vector<nn::TextPair> date_pairs(Part part, Rng& rng) {
  std::vector<nn::TextPair> pairs;
  for (Index year = 1900; year < 2100; ++year) {
    for (Index month = 1; month <= 12; ++month) {
      for (Index day = 1; day <= days_in(year, month); ++day) {
        if (part_of({year, month, day}) != part) continue;
        pairs.emplace_back(written(year, month, day, rng.below(5)),
                           join_text({year, "-", two_digits(month), "-", two_digits(day)}));
      }
    }
  }
  return pairs;
}

}  // namespace vitro::examples
