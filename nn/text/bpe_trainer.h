// Training a byte-pair encoding: finding the merges that shorten a text most.
#pragma once

#include <string_view>

#include "tensor/scalar.h"

#include "nn/text/bpe_files.h"

namespace vitro::nn {

struct BpeTrainingOptions {
  Index vocab_size = 512;   ///< bytes, merges and the token between documents together
  Index min_count = 2;      ///< a pair that stands fewer times in the text is not merged
  bool end_of_text = true;  ///< whether kEndOfText is a token, the last; the text is cut at it
};

/// Starts from the 256 bytes and merges, again and again, the pair of neighbours that stands most
/// often in the text's words (overlapping places count each). Of equal counts the pair with the
/// lower left id is taken, then the one with the lower right id; so the result is the same on every
/// platform. Ends early where no pair stands min_count times. Bytes are numbered as GPT-2 does, in
/// the order of their letters; merges follow in their order. Throws std::invalid_argument for a
/// vocab_size that does not hold all bytes (and kEndOfText), or above 1,000,000, and for a
/// min_count below 1.
BpeVocabulary train_bpe(std::string_view text, const BpeTrainingOptions& options);

}  // namespace vitro::nn
