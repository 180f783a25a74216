// The pictures of the book and the recordings to step through: each is made by the library, or by
// an example program, and kept under docs/. `test_docs --update` writes them again.
#pragma once

#include <string>
#include <vector>

namespace vitro::docs {

struct Picture {
  std::string path;  // from the root of the tree
  std::string text;  // SVG, or HTML of a recording
};

/// All of them, made now.
std::vector<Picture> make_pictures();

}  // namespace vitro::docs
