#include "examples/common/run_log.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tensor/error.h"
#include "tensor/files/json_reader.h"

#include "examples/common/output_file.h"

namespace vitro::examples {
namespace {

// The step of a line that this class wrote: {"step":7,… or 7,…; 0 for the heading, -1 for others.
Index step_of(const std::string& line) {
  const std::string opening = "{\"step\":";
  if (line.starts_with("step,")) return 0;
  const std::size_t begin = line.starts_with(opening) ? opening.size() : 0;
  Index step = -1;
  std::from_chars(line.data() + begin, line.data() + line.size(), step);
  return step;
}

// The whole lines of an earlier run up to `first_step`; those after it are going to be made again.
std::string earlier_lines(const std::string& path, Index first_step) {
  std::string kept;
  if (first_step <= 1) return kept;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line) && !file.eof();) {
    const Index step = step_of(line);
    if (step >= 0 && step < first_step) kept += line + "\n";
  }
  return kept;
}

void open(std::ofstream& file, const std::string& path, const std::string& earlier) {
  if (path.empty()) return;
  errno = 0;
  file.open(path, std::ios::binary | std::ios::trunc);
  file << earlier << std::flush;
  if (file) return;
  throw std::runtime_error(
      join_text({"cannot write '", path, "': ", std::generic_category().message(errno)}));
}

std::string quoted_csv(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string text = "\"";
  for (const char letter : name) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + "\"";
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

RunLog::RunLog(const std::string& jsonl_path, const std::string& csv_path, Index first_step,
               std::string counter)
    : jsonl_path_(jsonl_path), csv_path_(csv_path), counter_(std::move(counter)) {
  if (!jsonl_path.empty() && jsonl_path == csv_path) {
    throw std::invalid_argument("--log and --csv name the same file '" + csv_path + "'");
  }
  // Both names are checked before either file is emptied.
  for (const std::string& path : {jsonl_path, csv_path}) {
    if (!path.empty()) check_writable(path);
  }
  const std::string table = earlier_lines(csv_path, first_step);
  needs_heading_ = table.empty();
  open(jsonl_, jsonl_path, earlier_lines(jsonl_path, first_step));
  open(csv_, csv_path, table);
}

void RunLog::write(Index step, const Fields& fields) {
  std::vector<std::string> names;
  for (const auto& field : fields) names.push_back(field.first);
  const bool is_first = !has_lines_;
  if (!is_first && names != names_) {
    throw_invalid({"RunLog::write: the fields are ", list_text(names), ", those of the first line ",
                   list_text(names_), "; they must be the same"});
  }
  names_ = names;
  has_lines_ = true;

  std::string heading = counter_;
  std::string csv = TextPiece(step).text();
  std::string json = join_text({"{", json_string(counter_), ":", step});
  for (const auto& [name, value] : fields) {
    heading += "," + quoted_csv(name);
    csv += "," + TextPiece(value).text();
    json += join_text({",", json_string(name), ":"});
    json += std::isfinite(value) ? TextPiece(value).text() : "null";
  }
  if (jsonl_.is_open()) write_line(jsonl_, jsonl_path_, json + "}");
  if (csv_.is_open() && is_first && needs_heading_) write_line(csv_, csv_path_, heading);
  if (csv_.is_open()) write_line(csv_, csv_path_, csv);
}

void RunLog::write_line(std::ofstream& file, const std::string& path, const std::string& line) {
  file << line << '\n' << std::flush;
  if (!file) throw std::runtime_error("cannot write '" + path + "': the disk takes no more");
}

}  // namespace vitro::examples
