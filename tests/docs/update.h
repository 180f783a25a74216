// Rewrites what a program can rewrite: transcripts, pictures, and what pages quote.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/page.h"
#include "tests/docs/tree.h"

namespace vitro::docs {

/// The page's text with every fence that quotes something holding it.
std::string updated_page(const Page& page, const Tree& tree);

/// Rewrites the files under `root` that differ. Returns their paths.
std::vector<std::string> update_tree(const std::string& root);

}  // namespace vitro::docs
