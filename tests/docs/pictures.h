// The pictures of the book: each is made by the library, or by an example program, and kept under
// docs/images/. `test_docs --update` writes them again.
#pragma once

#include <string>
#include <vector>

namespace vitro::docs {

struct Picture {
  std::string path;  // from the root of the tree
  std::string svg;
};

/// All of them, made now.
std::vector<Picture> make_pictures();

}  // namespace vitro::docs
