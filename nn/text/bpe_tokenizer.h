// BpeTokenizer: GPT-2's byte-level byte-pair encoding.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/scalar.h"

#include "nn/text/bpe_files.h"
#include "nn/text/bpe_merges.h"
#include "nn/text/bpe_trainer.h"

namespace vitro::nn {

/// What the text "<|endoftext|>" inside an encoded text means.
enum class SpecialText {
  kPlain,  ///< 13 characters like any others: right for text from outside
  kToken,  ///< the one token between two documents
};

/// A text is cut into words (bpe_splitter.h), and each word's bytes are merged into tokens
/// (bpe_merges.h). All 256 bytes are tokens, so nothing is unknown and decode(encode(text)) is the
/// text, for any bytes. Source: Sennrich et al., "Neural machine translation of rare words with
/// subword units", 2016; Radford et al., "Language models are unsupervised multitask learners",
/// 2019. Immutable: any number of threads may use one.
class BpeTokenizer {
 public:
  /// From GPT-2's two files, vocab.json (or encoder.json) and merges.txt (or vocab.bpe). Throws
  /// FileError, of the kinds that parse_bpe names; HeaderTooLarge above 100 MB.
  static BpeTokenizer load(const std::string& vocabulary_path, const std::string& merges_path);

  /// From the texts of the two files, such as vocabulary_text() and merges_text(). Throws
  /// FileError.
  static BpeTokenizer parse(std::string_view vocabulary_text, std::string_view merges_text);

  /// From an example text: see train_bpe.
  static BpeTokenizer train(std::string_view text, const BpeTrainingOptions& options = {});

  Index vocab_size() const { return static_cast<Index>(vocabulary_.tokens.size()); }

  /// The id of "<|endoftext|>", where the vocabulary has it.
  std::optional<Index> end_of_text() const { return end_of_text_; }

  /// Throws std::invalid_argument for SpecialText::kToken without such a token.
  std::vector<Index> encode(std::string_view text, SpecialText special = SpecialText::kPlain) const;

  /// The tokens' bytes, one after the other. Tokens are bytes, not characters: one that is half of
  /// an "é" gives just that byte, so the result of arbitrary ids need not be UTF-8. Throws
  /// std::out_of_range for an id that is no token.
  std::string decode(const std::vector<Index>& ids) const;

  /// The two files. Both are written before either takes its name. Throws FileError.
  void save(const std::string& vocabulary_path, const std::string& merges_path) const;

  /// The files' texts.
  std::string vocabulary_text() const { return bpe_vocabulary_text(vocabulary_); }

  std::string merges_text() const { return bpe_merges_text(vocabulary_); }

 private:
  explicit BpeTokenizer(BpeVocabulary vocabulary);

  class Encoder;

  BpeVocabulary vocabulary_;  // its merges are in merges_, too
  BpeMerges merges_;
  std::array<Index, 256> byte_ids_{};
  std::optional<Index> end_of_text_;
};

}  // namespace vitro::nn
