// The data of 11_translate: pairs of texts as tokens, and batches of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/indices.h"
#include "tensor/random.h"

#include "nn/text/char_tokenizer.h"
#include "nn/text/lines.h"

namespace vitro::examples {

inline constexpr const char* kPadding = "\t";  ///< fills up sources; no source holds one
inline constexpr const char* kEdge = "\n";     ///< before each target and after it

/// Pairs in two parts, and the characters of both sides.
struct Pairs {
  std::vector<nn::TextPair> train;
  std::vector<nn::TextPair> test;
  nn::CharTokenizer sources{std::string_view(kPadding)};
  nn::CharTokenizer targets{std::string_view(kEdge)};
  Index longest_source = 0;  // characters
  Index longest_target = 0;
};

/// The pairs of a file, "source TAB target" a line, in a part each by their source; dates where
/// `path` is empty. Throws, one line, where a part would be empty or the file cannot be read.
Pairs load_pairs(const std::string& path, Rng& rng);

struct PairBatch {
  Indices sources;  ///< [batch, source time]
  Indices inputs;   ///< [batch, time]: the target behind an edge
  Indices targets;  ///< [batch, time]: the target before an edge; fillings do not count
};

/// The pairs of `list` with these numbers.
PairBatch batch_of(const Pairs& pairs, const std::vector<nn::TextPair>& list,
                   const std::vector<Index>& picked);

}  // namespace vitro::examples
