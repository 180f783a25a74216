#include "nn/text/bpe_files.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tensor/files/file_error.h"
#include "tensor/files/json.h"

#include "nn/text/byte_letters.h"

namespace vitro::nn {
namespace {

constexpr const char* kFunction = "BpeTokenizer";
constexpr std::string_view kVersion = "#version:";

using Ids = std::unordered_map<std::string, Index>;

[[noreturn]] void fail(const NamedText& text, FileErrorKind kind, Index byte,
                       std::initializer_list<TextPiece> pieces) {
  throw FileError(kind, kFunction, text.name, byte, pieces);
}

FileErrorKind kind_of(JsonFault fault) {
  if (fault == JsonFault::kEncoding) return FileErrorKind::InvalidUtf8;
  if (fault == JsonFault::kDuplicateKey) return FileErrorKind::DuplicateKey;
  return fault == JsonFault::kValue ? FileErrorKind::BadInteger : FileErrorKind::InvalidJson;
}

// A token's id: from 0 on, and of no other token before.
Index read_id(const NamedText& text, const JsonValue& value, const std::string& token,
              const std::vector<std::optional<std::string>>& tokens) {
  const auto count = static_cast<Index>(tokens.size());
  const Index id = value.integer();
  if (id < 0 || id >= count) {
    fail(text, FileErrorKind::Hole, value.byte(),
         {"token ", quoted(token), " has id ", id, "; ", count, " tokens have the ids 0 to ",
          count - 1, ", none left out"});
  }
  const std::optional<std::string>& other = tokens[static_cast<std::size_t>(id)];
  if (other.has_value()) {
    fail(text, FileErrorKind::Overlap, value.byte(),
         {"id ", id, " belongs to token ", quoted(letters_of(*other)), " and to token ",
          quoted(token), "; each needs an id of its own"});
  }
  return id;
}

std::vector<std::string> read_tokens(const NamedText& text, const JsonValue& object) {
  if (object.kind() != JsonKind::kObject) {
    fail(text, FileErrorKind::BadEntry, object.byte(),
         {"found ", json_kind_text(object.kind()), "; a vocabulary is an object of ids"});
  }
  const std::vector<std::string>& names = object.keys();
  std::vector<std::optional<std::string>> tokens(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const JsonValue& value = object.items()[i];
    const Index id = read_id(text, value, names[i], tokens);
    std::optional<std::string> bytes = bytes_of(names[i]);
    if (!bytes.has_value() || bytes->empty()) {
      fail(text, FileErrorKind::BadEntry, value.byte(),
           {"token ", quoted(names[i]), " of id ", id,
            "; a token is one or more byte letters (a space is written Ġ)"});
    }
    tokens[static_cast<std::size_t>(id)] = std::move(bytes);
  }
  std::vector<std::string> result;
  for (std::optional<std::string>& token : tokens) result.push_back(std::move(*token));
  return result;
}

std::vector<std::string> parse_vocabulary(const NamedText& text) {
  try {
    return read_tokens(text, JsonValue::parse(text.text));
  } catch (const JsonError& error) {
    fail(text, kind_of(error.fault()), error.byte(), {error.problem()});
  }
}

// Reads the merges' lines, one after the other.
class MergeReader {
 public:
  MergeReader(const NamedText& text, const std::vector<std::string>& tokens)
      : text_(text), is_made_(tokens.size(), false) {
    ids_.reserve(tokens.size());
    pairs_.reserve(tokens.size());
    for (const std::string& token : tokens) {
      is_made_[ids_.size()] = token.size() == 1;
      ids_.emplace(token, static_cast<Index>(ids_.size()));
    }
  }

  std::vector<BpeMerge> read() {
    std::string_view rest = text_.text;
    if (rest.starts_with(kVersion)) next_line(rest);
    std::vector<BpeMerge> merges;
    while (!rest.empty()) merges.push_back(read_merge(next_line(rest)));
    return merges;
  }

  /// Whether a token is a byte or some merge's result.
  bool is_made(Index id) const { return is_made_[static_cast<std::size_t>(id)]; }

 private:
  // Takes the line, whose end must be a line feed, off the rest.
  std::string_view next_line(std::string_view& rest) {
    line_start_ = static_cast<Index>(rest.data() - text_.text.data());
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      fail_here(FileErrorKind::BadEntry, {"the last line ", quoted(rest),
                                          " has no line feed at its end: the text is cut short"});
    }
    const std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) {
      fail_here(FileErrorKind::BadEntry,
                {"the line ", quoted(line),
                 " ends in CR LF; lines must end in a line feed alone, as in Unix files"});
    }
    rest.remove_prefix(end + 1);
    return line;
  }

  BpeMerge read_merge(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      fail_here(FileErrorKind::BadEntry,
                {"the line ", quoted(line), "; a merge is two tokens with one space between"});
    }
    const Index left = part(line, line.substr(0, space));
    const Index right = part(line, line.substr(space + 1));
    if (!pairs_.insert(pair_key(left, right)).second) {
      fail_here(FileErrorKind::DuplicateKey,
                {"the merge ", quoted(line), " comes twice; once is enough"});
    }
    const std::string joined = std::string(line.substr(0, space)).append(line.substr(space + 1));
    const Index result = id_of(line, joined);
    is_made_[static_cast<std::size_t>(result)] = true;
    return {left, right, result};
  }

  // The id of one of the two tokens that a merge joins.
  Index part(std::string_view line, std::string_view letters) const {
    const Index id = id_of(line, letters);
    if (!is_made(id)) {
      fail_here(FileErrorKind::BadEntry, {"the merge ", quoted(line), " joins ", quoted(letters),
                                          ", which is no byte and which no earlier merge makes"});
    }
    return id;
  }

  Index id_of(std::string_view line, std::string_view letters) const {
    const std::optional<std::string> bytes = bytes_of(letters);
    const auto found = bytes.has_value() ? ids_.find(*bytes) : ids_.end();
    if (found == ids_.end()) {
      fail_here(FileErrorKind::BadEntry, {"the merge ", quoted(line), " needs the token ",
                                          quoted(letters), ", which the vocabulary does not have"});
    }
    return found->second;
  }

  [[noreturn]] void fail_here(FileErrorKind kind, std::initializer_list<TextPiece> pieces) const {
    fail(text_, kind, line_start_, pieces);
  }

  const NamedText& text_;
  Ids ids_;
  std::vector<bool> is_made_;  // by id
  std::unordered_set<std::uint64_t, PairHash> pairs_;
  Index line_start_ = 0;
};

void check_complete(const NamedText& vocabulary, const NamedText& merges,
                    const std::vector<std::string>& tokens, const MergeReader& reader) {
  std::array<bool, 256> has_byte{};
  for (const std::string& token : tokens) {
    if (token.size() == 1) has_byte[static_cast<unsigned char>(token[0])] = true;
  }
  for (const unsigned char byte : bytes_by_letter()) {
    if (has_byte[byte]) continue;
    fail(vocabulary, FileErrorKind::BadEntry, FileError::kNoByte,
         {"no token ", quoted(letters_of(std::string(1, static_cast<char>(byte)))),
          " for the byte ", static_cast<int>(byte), "; all 256 bytes must be tokens"});
  }
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (reader.is_made(static_cast<Index>(id)) || tokens[id] == kEndOfText) continue;
    fail(merges, FileErrorKind::BadEntry, FileError::kNoByte,
         {"no merge makes the token ", quoted(letters_of(tokens[id])), " of id ", id,
          "; only bytes and ", kEndOfText, " need none. Is the text cut short?"});
  }
}

}  // namespace

BpeVocabulary parse_bpe(const NamedText& vocabulary, const NamedText& merges) {
  BpeVocabulary result;
  result.tokens = parse_vocabulary(vocabulary);
  MergeReader reader(merges, result.tokens);
  result.merges = reader.read();
  check_complete(vocabulary, merges, result.tokens, reader);
  return result;
}

std::string bpe_vocabulary_text(const BpeVocabulary& vocabulary) {
  std::string text = "{";
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    text +=
        join_text({id == 0 ? "" : ", ", json_string(letters_of(vocabulary.tokens[id])), ": ", id});
  }
  return text + "}\n";
}

std::string bpe_merges_text(const BpeVocabulary& vocabulary) {
  const auto letters = [&vocabulary](Index id) {
    return letters_of(vocabulary.tokens[static_cast<std::size_t>(id)]);
  };
  std::string text = "#version: 0.2\n";
  for (const BpeMerge& merge : vocabulary.merges) {
    text += join_text({letters(merge.left), " ", letters(merge.right), "\n"});
  }
  return text;
}

}  // namespace vitro::nn
