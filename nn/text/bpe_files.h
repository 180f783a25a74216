// The two files of a byte-pair encoding, as text: GPT-2's vocab.json and merges.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/text/bpe_merges.h"

namespace vitro::nn {

/// GPT-2's token between two documents.
inline constexpr std::string_view kEndOfText = "<|endoftext|>";

/// What the two files say. Every byte is a token; every other token but kEndOfText is the result of
/// a merge, and a merge's parts are bytes or results of earlier merges.
struct BpeVocabulary {
  std::vector<std::string> tokens;  ///< bytes, by id
  std::vector<BpeMerge> merges;     ///< by rank
};

/// One of the two files: its text, and what errors call it.
struct NamedText {
  std::string name;
  std::string_view text;
};

/// The vocabulary is a JSON object {"token": id, …} with every id from 0 on; tokens are written in
/// byte letters (see byte_letters.h). The merges are lines "left right", each ended by a line feed,
/// of which the first may be a "#version: …". Throws FileError, which names the text and the byte:
/// InvalidUtf8, InvalidJson, DuplicateKey (also a merge that comes twice), BadInteger, Overlap (two
/// tokens of one id), Hole (an id without a token), BadEntry (anything else that breaks a rule).
BpeVocabulary parse_bpe(const NamedText& vocabulary, const NamedText& merges);

/// The texts that parse_bpe reads.
std::string bpe_vocabulary_text(const BpeVocabulary& vocabulary);
std::string bpe_merges_text(const BpeVocabulary& vocabulary);

}  // namespace vitro::nn
