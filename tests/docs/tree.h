// The tree that pages speak about: its files, the names in its code, the options of its programs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vitro::docs {

/// Paths start at the root of the tree.
struct Tree {
  std::set<std::string> files;
  std::set<std::string> folders;
  std::map<std::string, std::string> sources;  // text of .h and .cpp files
  std::map<std::string, std::string> outputs;  // what programs print: examples/expected/, records
  std::set<std::string> names;                 // identifiers in code and in build files
  std::set<std::string> programs;              // names of example programs

  bool has(const std::string& path) const { return files.contains(path) || folders.contains(path); }
};

Tree read_tree(const std::string& root);

/// Every .md file of the tree, in order of path.
std::vector<std::string> page_paths(const Tree& tree);

/// The whole function or class `name` of a source text, with the comment right above it: it begins
/// in column 0 and ends with a closing brace there. "name(2)" is the second of that name.
std::optional<std::string> find_definition(const std::string& source, const std::string& name);

}  // namespace vitro::docs
