// Random damage to files, for tests of what reads them.
#pragma once

#include <string>

#include "tensor/random.h"

namespace vitro::testing_support {

/// One to four changes: a byte replaced, removed, put in, or a run of bytes doubled.
inline std::string mutate(std::string bytes, Rng& rng) {
  const std::string letters = "{}[]\",:0123456789-.eE\\ntu'()\xFF\x80";
  for (Index change = rng.below(4); change >= 0 && !bytes.empty(); --change) {
    const auto at = static_cast<std::size_t>(rng.below(static_cast<Index>(bytes.size())));
    const auto letter = static_cast<std::size_t>(rng.below(static_cast<Index>(letters.size())));
    switch (rng.below(5)) {
      case 0:
        bytes[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        bytes[at] = letters[letter];
        break;
      case 2:
        bytes.erase(at, 1);
        break;
      case 3:
        bytes.insert(at, 1, letters[letter]);
        break;
      default:
        bytes.insert(at, bytes.substr(at, static_cast<std::size_t>(rng.below(20))));
        break;
    }
  }
  return bytes;
}

}  // namespace vitro::testing_support
