#include "examples/common/command_line.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iostream>
#include <system_error>
#include <utility>

#include "tensor/error.h"
#include "tensor/pictures/glyphs.h"

namespace vitro::examples {
namespace {

[[noreturn]] void fail(std::initializer_list<TextPiece> pieces) {
  throw UsageError(join_text(pieces));
}

// What the user wrote, safe to print and not endless.
std::string quoted(std::string_view text) { return "'" + visible_text(text, 60) + "'"; }

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

// The whole text as one number; no locale, no spaces, no plus sign.
template <typename Number>
Number read_number(const std::string& name, const std::string& text, Number least, Number most,
                   const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool too_large = error == std::errc::result_out_of_range && stop == end;
  if (!too_large && (error != std::errc() || stop != end || value != value)) {
    fail({"--", name, ": ", quoted(text), " is not ", kind});
  }
  if (too_large || value < least || value > most) {
    fail({"--", name, ": ", quoted(text), " is not from ", least, " to ", most});
  }
  return value;
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string purpose)
    : program_(std::move(program)), purpose_(std::move(purpose)) {}

void CommandLine::add(Option option) {
  for (const std::string& name : option.names) {
    if (find(name) != nullptr) throw std::logic_error("CommandLine: two options named " + name);
  }
  options_.push_back(std::move(option));
}

void CommandLine::integer(const std::string& name, Index& value, Index least, Index most,
                          const std::string& help, const Names& others) {
  Names names{name};
  names.insert(names.end(), others.begin(), others.end());
  add({names, "N", help, join_text({least, " to ", most}), TextPiece(value).text(), true,
       [=, &value](const std::string& text) -> std::function<void()> {
         const Index given = read_number<Index>(name, text, least, most, "a whole number");
         return [&value, given] { value = given; };
       }});
}

void CommandLine::number(const std::string& name, double& value, double least, double most,
                         const std::string& help, const Names& others) {
  Names names{name};
  names.insert(names.end(), others.begin(), others.end());
  add({names, "X", help, join_text({least, " to ", most}), TextPiece(value).text(), true,
       [=, &value](const std::string& text) -> std::function<void()> {
         const double given = read_number<double>(name, text, least, most, "a number");
         return [&value, given] { value = given; };
       }});
}

void CommandLine::text(const std::string& name, std::string& value, const std::string& form,
                       const std::string& help) {
  add({{name},
       form,
       help,
       "",
       value,
       true,
       [&value](const std::string& text) -> std::function<void()> {
         return [&value, text] { value = text; };
       }});
}

void CommandLine::choice(const std::string& name, std::string& value, const Names& choices,
                         const std::string& help) {
  std::string list;
  for (const std::string& word : choices) list += (list.empty() ? "" : "|") + word;
  add({{name},
       list,
       help,
       "",
       value,
       true,
       [=, &value](const std::string& text) -> std::function<void()> {
         if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
           fail({"--", name, ": ", quoted(text), " is none of ", list});
         }
         return [&value, text] { value = text; };
       }});
}

void CommandLine::flag(const std::string& name, bool& value, const std::string& help) {
  add({{name}, "", help, "", "", false, [&value](const std::string&) -> std::function<void()> {
         return [&value] { value = true; };
       }});
}

const CommandLine::Option* CommandLine::find(std::string_view name) const {
  const std::string wanted = with_underscores(name);
  for (const Option& option : options_) {
    if (std::find(option.names.begin(), option.names.end(), wanted) != option.names.end()) {
      return &option;
    }
  }
  return nullptr;
}

const CommandLine::Option& CommandLine::find_or_throw(const std::string& argument,
                                                      std::string_view name) const {
  if (const Option* option = find(name)) return *option;
  const std::string wanted = with_underscores(name);
  std::string nearest;
  Index distance = std::max<Index>(2, static_cast<Index>(wanted.size()) / 3) + 1;
  for (const Option& option : options_) {
    for (const std::string& known : option.names) {
      const bool begins_so = wanted.size() >= 3 && known.starts_with(wanted);
      const Index steps = begins_so ? 1 : edit_distance(wanted, known);
      if (steps < distance && steps < static_cast<Index>(known.size())) {
        nearest = known;
        distance = steps;
      }
    }
  }
  if (nearest.empty()) fail({"unknown option ", quoted(argument), "; --help lists all"});
  fail({"unknown option ", quoted(argument), "; did you mean --", nearest, "?"});
}

bool CommandLine::parse(int argc, const char* const* argv) {
  if (argc > 0) command_ = argv[0];
  return parse(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), std::cout);
}

bool CommandLine::parse(const std::vector<std::string>& arguments, std::ostream& out) {
  std::vector<std::function<void()>> stores;
  std::map<std::string, std::string> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      out << help();
      return false;
    }
    if (argument.empty() || argument[0] != '-' || argument == "-") {
      fail({"unexpected ", quoted(argument), "; options start with --"});
    }
    const std::string_view body = std::string_view(argument).substr(argument[1] == '-' ? 2 : 1);
    const std::size_t equals = body.find('=');
    const std::string written = argument.substr(0, argument.find('='));
    const Option& option = find_or_throw(written, body.substr(0, equals));
    const std::string& name = option.names.front();
    if (argument[1] != '-') fail({"options start with two dashes: --", name});
    if (given.contains(name)) fail({"--", name, ": given more than once"});
    const bool has_value = equals != std::string_view::npos;
    std::string value = has_value ? std::string(body.substr(equals + 1)) : "";
    if (!option.takes_value && has_value) fail({"--", name, ": takes no value"});
    if (option.takes_value && !has_value) {
      const bool follows = i + 1 < arguments.size() && !arguments[i + 1].starts_with("--");
      if (!follows) fail({"--", name, ": needs a value, --", name, " ", option.form});
      value = arguments[++i];
    }
    if (option.takes_value && value.empty()) fail({"--", name, ": the value is empty"});
    stores.push_back(option.read(value));
    given[name] = value;
  }
  for (const std::function<void()>& store : stores) store();
  given_ = given;
  return true;
}

void CommandLine::give(const std::map<std::string, std::string>& values) {
  std::vector<std::function<void()>> stores;
  for (const auto& [name, value] : values) {
    if (!was_given(name)) stores.push_back(find_or_throw("--" + name, name).read(value));
  }
  for (const std::function<void()>& store : stores) store();
  given_.insert(values.begin(), values.end());
}

bool CommandLine::was_given(const std::string& name) const { return given_.contains(name); }

std::string CommandLine::help() const {
  const auto left_of = [](const Option& option) {
    return "--" + option.names.front() + (option.form.empty() ? "" : " " + option.form);
  };
  std::size_t width = 6;
  for (const Option& option : options_) width = std::max(width, left_of(option).size());
  const auto line = [width](const std::string& left, const std::string& right) {
    return "  " + left + std::string(width + 2 - left.size(), ' ') + right + "\n";
  };
  std::string text = program_ + ": " + purpose_ + "\n\nusage: " + program_ + " [options]\n\n";
  for (const Option& option : options_) {
    std::string note = option.range;
    if (!option.default_value.empty()) {
      note += (note.empty() ? "default " : "; default ") + option.default_value;
    }
    for (std::size_t i = 1; i < option.names.size(); ++i) note += "; also --" + option.names[i];
    text += line(left_of(option), option.help + (note.empty() ? "" : " (" + note + ")"));
  }
  return text + line("--help", "prints this and ends");
}

Index edit_distance(std::string_view a, std::string_view b) {
  // distance[i][j]: from the first i letters of a to the first j of b.
  std::vector<std::vector<Index>> distance(a.size() + 1, std::vector<Index>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      Index& best = distance[i][j];
      best = static_cast<Index>(std::max(i, j));
      if (i == 0 || j == 0) continue;
      const Index replaced = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      best = std::min({replaced, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = std::min(best, distance[i - 2][j - 2] + 1);
    }
  }
  return distance[a.size()][b.size()];
}

}  // namespace vitro::examples
