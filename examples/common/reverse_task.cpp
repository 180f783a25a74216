#include "examples/common/reverse_task.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "tensor/error.h"
#include "tensor/pictures/glyphs.h"

#include "examples/common/command_line.h"

namespace vitro::examples {

Part part_of(const std::vector<Index>& sequence) {
  // FNV-1a, then a mixing of the upper bits into the lower ones.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const Index symbol : sequence) {
    hash = (hash ^ static_cast<std::uint64_t>(symbol)) * 0x100000001b3u;
  }
  hash ^= hash >> 32;
  return hash % 8 == 0 ? Part::kTest : Part::kTrain;
}

ReverseBatch draw_reverse_batch(Part part, Index batch_size, Index length, Index symbol_count,
                                Rng& rng) {
  std::vector<Index> inputs;
  std::vector<Index> targets;
  std::vector<Index> sequence(static_cast<std::size_t>(length));
  for (Index row = 0; row < batch_size; ++row) {
    Index attempt = 0;
    do {
      if (++attempt > 10'000) {  // the few short sequences may all belong to the other part
        throw_invalid({"draw_reverse_batch: no sequences of ", length, " symbols of ", symbol_count,
                       "; take longer ones"});
      }
      for (Index& symbol : sequence) symbol = rng.below(symbol_count);
    } while (part_of(sequence) != part);
    inputs.insert(inputs.end(), sequence.begin(), sequence.end());
    targets.insert(targets.end(), sequence.rbegin(), sequence.rend());
  }
  return {Indices({batch_size, length}, inputs), Indices({batch_size, length}, targets)};
}

std::vector<Index> parse_symbols(const std::string& text, Index length, Index symbol_count) {
  std::vector<Index> symbols;
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    Index symbol = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), symbol);
    const bool is_number = error == std::errc() && stop == word.data() + word.size();
    if (!is_number || symbol < 0 || symbol >= symbol_count) {
      throw UsageError(join_text(
          {"--ask: '", visible_text(word, 20), "' is no symbol from 0 to ", symbol_count - 1}));
    }
    symbols.push_back(symbol);
    begin = text.find_first_not_of(' ', end);
  }
  const auto count = static_cast<Index>(symbols.size());
  if (count < 1 || count > length) {
    throw UsageError(
        join_text({"--ask: there are ", count, " symbols; the model takes 1 to ", length}));
  }
  return symbols;
}

std::string symbols_text(const std::vector<Index>& symbols) {
  std::string text;
  for (const Index symbol : symbols) text += join_text({text.empty() ? "" : " ", symbol});
  return text;
}

}  // namespace vitro::examples
