#include "tensor/files/safetensors_header.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "tensor/files/file_error.h"
#include "tensor/files/header_faults.h"
#include "tensor/files/json_reader.h"
#include "tensor/utf8.h"

namespace vitro {
namespace {

constexpr const char* kFunction = "SafetensorsFile";
constexpr Index kHeaderStart = 8;  // of the JSON in the file
constexpr Index kDepth = 3;        // { name: { shape: [ … ] } }

// Reads the whole text once. Only wrong syntax stops it: other faults are noted, and in the end
// the one is thrown that is first in the order of checks.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, Index data_size, const std::string& path)
      : text_(text),
        data_size_(data_size),
        path_(path),
        faults_(kFunction, path, kHeaderStart),
        reader_(text, kDepth, LeadingZeros::kAllowed) {}

  SafetensorsHeader parse();

 private:
  [[noreturn]] void fail(FileErrorKind kind, Index byte,
                         std::initializer_list<TextPiece> pieces) const;
  void check_start() const;
  void read_members();
  void check_only_spaces_follow() const;
  void read_metadata();
  void check_layout();

  std::string_view text_;
  Index data_size_;
  const std::string& path_;
  HeaderFaults faults_;
  JsonReader reader_;
  SafetensorsHeader header_;
};

SafetensorsHeader HeaderParser::parse() {
  check_start();
  try {
    read_members();
  } catch (const JsonError& error) {
    fail(FileErrorKind::InvalidJson, error.byte(), {error.problem()});
  }
  check_only_spaces_follow();
  faults_.throw_first();
  check_layout();
  faults_.throw_first();
  return std::move(header_);
}

void HeaderParser::fail(FileErrorKind kind, Index byte,
                        std::initializer_list<TextPiece> pieces) const {
  throw FileError(kind, kFunction, path_, kHeaderStart + byte, pieces);
}

void HeaderParser::check_start() const {
  const Index invalid = find_invalid_utf8(text_);
  if (invalid >= 0) {
    fail(FileErrorKind::InvalidUtf8, invalid, {"the header is not UTF-8 here; it must be"});
  }
  if (text_.empty() || text_.front() != '{') {
    fail(FileErrorKind::HeaderStart, 0,
         {"the header starts with ", quoted(first_character(text_)), "; it must start with {"});
  }
}

void HeaderParser::read_members() {
  std::vector<std::string> names;
  std::vector<Index> bytes;
  reader_.begin_object();
  while (std::optional<std::string> name = reader_.next_key()) {
    bytes.push_back(reader_.byte());
    if (*name == "__metadata__") {
      read_metadata();
    } else if (std::optional<SafetensorsEntry> entry =
                   read_safetensors_entry(reader_, *name, faults_)) {
      // Once something is wrong, the rest is only read to find what is worse.
      if (faults_.empty()) header_.entries.push_back(std::move(*entry));
    }
    names.push_back(std::move(*name));
  }
  faults_.note_duplicate(names, bytes);
}

void HeaderParser::check_only_spaces_follow() const {
  const auto end = static_cast<std::size_t>(reader_.position());
  const std::size_t stray = text_.find_first_not_of(' ', end);
  if (stray == std::string_view::npos) return;
  fail(FileErrorKind::InvalidJson, static_cast<Index>(stray),
       {quoted(first_character(text_.substr(stray))),
        " after the header's end; only spaces may follow"});
}

void HeaderParser::read_metadata() {
  const JsonKind kind = reader_.peek();
  if (kind != JsonKind::kObject) {
    faults_.note(FileErrorKind::BadMetadata, reader_.byte(),
                 {"__metadata__ is ", json_kind_text(kind), "; it must be an object of strings"});
    return reader_.skip();
  }
  std::vector<std::string> keys;
  std::vector<Index> bytes;
  reader_.begin_object();
  while (std::optional<std::string> key = reader_.next_key()) {
    bytes.push_back(reader_.byte());
    const JsonKind value_kind = reader_.peek();
    if (value_kind == JsonKind::kString) {
      header_.metadata.emplace(*key, reader_.read_string());
    } else {
      faults_.note(FileErrorKind::BadMetadata, bytes.back(),
                   {"__metadata__ holds ", json_kind_text(value_kind), " under ", quoted(*key),
                    "; it must be a string"});
      reader_.skip();
    }
    keys.push_back(std::move(*key));
  }
  faults_.note_duplicate(keys, bytes);
}

// In the order of their data, tensors touch: no gap, no overlap, from the first byte to the last.
void HeaderParser::check_layout() {
  std::sort(header_.entries.begin(), header_.entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
              if (a.begin != b.begin) return a.begin < b.begin;
              return a.end != b.end ? a.end < b.end : a.name < b.name;
            });
  const auto header_size = static_cast<Index>(text_.size());
  Index end = 0;
  for (const SafetensorsEntry& entry : header_.entries) {
    if (entry.begin != end) {
      const bool is_hole = entry.begin > end;
      faults_.note(
          is_hole ? FileErrorKind::Hole : FileErrorKind::Overlap,
          header_size + std::min({entry.begin, end, data_size_}),  // a place in the file
          {quoted(entry.name), " begins at byte ", entry.begin,
           " of the data, and the tensor before it ends at ", end, "; tensors must touch"});
    }
    end = std::max(end, entry.end);
  }
  const bool is_short = end > data_size_;
  if (end == data_size_) return;
  faults_.note(is_short ? FileErrorKind::Truncated : FileErrorKind::TrailingBytes,
               header_size + std::min(end, data_size_),
               {"the file has ", data_size_, " bytes of data; its tensors take ", end});
}

}  // namespace

inline namespace VITRO_SCALAR_NAMESPACE {

SafetensorsHeader parse_safetensors_header(std::string_view text, Index data_size,
                                           const std::string& path) {
  return HeaderParser(text, data_size, path).parse();
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro
