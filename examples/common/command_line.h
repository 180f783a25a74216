// Command lines: a table of options, from which parsing, checks and --help follow.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/scalar.h"

namespace vitro::examples {

/// A command line that asks for something impossible: run_main prints it and exits with 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Each option belongs to a variable, which holds the default and gets what the user gave:
///
///     Index max_iters = 100;
///     CommandLine command_line("03_train_reverse", "A self-attention layer learns to reverse.");
///     command_line.integer("max_iters", max_iters, 1, 1'000'000, "training steps", {"steps"});
///     if (!command_line.parse(argc, argv)) return 0;  // --help was asked for, and given
///
/// Users write --max_iters 5 or --max_iters=5, with '-' or '_'. All is checked before any variable
/// is touched.
class CommandLine {
 public:
  CommandLine(std::string program, std::string purpose);

  using Names = std::vector<std::string>;  ///< other names of the same option

  void integer(const std::string& name, Index& value, Index least, Index most,
               const std::string& help, const Names& others = {});
  void number(const std::string& name, double& value, double least, double most,
              const std::string& help, const Names& others = {});
  /// Any text but an empty one. `form` stands for it in the help, such as FILE.
  void text(const std::string& name, std::string& value, const std::string& form,
            const std::string& help);
  void choice(const std::string& name, std::string& value, const Names& choices,
              const std::string& help);
  /// True where given; takes no value.
  void flag(const std::string& name, bool& value, const std::string& help);

  /// Puts the user's values into the variables. False where --help or -h was among them: the help
  /// went to `out`. Throws UsageError, one line, for an unknown or repeated option, a missing,
  /// empty or wrong value, and anything that is no option.
  bool parse(int argc, const char* const* argv);
  bool parse(const std::vector<std::string>& arguments, std::ostream& out);

  /// Whether the user gave this option, or left its default.
  bool was_given(const std::string& name) const;

  /// What --help prints.
  std::string help() const;

  /// How the program was called: the first word of the command line; "" before parse().
  const std::string& command() const { return command_; }

  /// The user's options, for another run to start from: what was given, as text, by name.
  const std::map<std::string, std::string>& given() const { return given_; }

  /// Takes options of another run as if the user had given them; those that he gave himself stay.
  /// Throws UsageError as parse does.
  void give(const std::map<std::string, std::string>& values);

 private:
  struct Option {
    Names names;  // the first is the one shown
    std::string form;
    std::string help;
    std::string range;          // "1 to 100", or what else the help says in parentheses
    std::string default_value;  // as text
    bool takes_value = true;
    // Checks a value and returns what stores it. Throws UsageError.
    std::function<std::function<void()>(const std::string& text)> read;
  };

  const Option* find(std::string_view name) const;
  const Option& find_or_throw(const std::string& argument, std::string_view name) const;
  void add(Option option);

  std::string program_;
  std::string purpose_;
  std::vector<Option> options_;
  std::string command_;
  std::map<std::string, std::string> given_;  // first names and texts of the last parse
};

/// The number of insertions, deletions, replacements and swaps of neighbours from a to b.
Index edit_distance(std::string_view a, std::string_view b);

}  // namespace vitro::examples
