#include "nn/text/bpe_tokenizer.h"

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "tensor/error.h"
#include "tensor/files/atomic_file.h"
#include "tensor/files/file_error.h"
#include "tensor/files/input_file.h"

#include "nn/text/bpe_splitter.h"

namespace vitro::nn {

// One call of encode. Most words of a text come again: a word that was merged before is copied
// from the ids that it gave then.
class BpeTokenizer::Encoder {
 public:
  explicit Encoder(const BpeTokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void add_text(std::string_view text) {
    while (!text.empty()) {
      const std::string_view word = first_word(text);
      add_word(word);
      text.remove_prefix(word.size());
    }
  }

  void add_id(Index id) { ids_.push_back(id); }

  std::vector<Index> take_ids() { return std::move(ids_); }

 private:
  // Where in ids_ a word's tokens lie.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  void add_word(std::string_view word) {
    if (word.size() == 1) return add_id(byte_id(word[0]));
    const auto [known, is_new] = known_.try_emplace(word, Range{ids_.size(), 0});
    if (!is_new) {
      for (std::size_t i = known->second.begin; i < known->second.end; ++i) {
        const Index id = ids_[i];
        ids_.push_back(id);
      }
      return;
    }
    bytes_.clear();
    for (const char byte : word) bytes_.push_back(byte_id(byte));
    for (const Index id : tokenizer_.merges_.apply(bytes_)) ids_.push_back(id);
    known->second.end = ids_.size();
  }

  Index byte_id(char byte) const { return tokenizer_.byte_ids_[static_cast<unsigned char>(byte)]; }

  const BpeTokenizer& tokenizer_;
  std::vector<Index> ids_;
  std::vector<Index> bytes_;
  std::unordered_map<std::string_view, Range> known_;
};

BpeTokenizer::BpeTokenizer(BpeVocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)), merges_(vocabulary_.merges) {
  for (Index id = 0; id < vocab_size(); ++id) {
    const std::string& token = vocabulary_.tokens[static_cast<std::size_t>(id)];
    if (token.size() == 1) byte_ids_[static_cast<unsigned char>(token[0])] = id;
    if (token == kEndOfText) end_of_text_ = id;
  }
}

BpeTokenizer BpeTokenizer::load(const std::string& vocabulary_path,
                                const std::string& merges_path) {
  constexpr const char* kFunction = "BpeTokenizer::load";
  const std::string vocabulary = read_small_file(kFunction, vocabulary_path);
  const std::string merges = read_small_file(kFunction, merges_path);
  return BpeTokenizer(parse_bpe({vocabulary_path, vocabulary}, {merges_path, merges}));
}

BpeTokenizer BpeTokenizer::parse(std::string_view vocabulary_text, std::string_view merges_text) {
  return BpeTokenizer(parse_bpe({"the vocabulary", vocabulary_text}, {"the merges", merges_text}));
}

BpeTokenizer BpeTokenizer::train(std::string_view text, const BpeTrainingOptions& options) {
  return BpeTokenizer(train_bpe(text, options));
}

std::vector<Index> BpeTokenizer::encode(std::string_view text, SpecialText special) const {
  Encoder encoder(*this);
  if (special == SpecialText::kPlain) {
    encoder.add_text(text);
    return encoder.take_ids();
  }
  if (!end_of_text_.has_value()) {
    throw_invalid({"BpeTokenizer: the vocabulary has no token ", kEndOfText,
                   "; encode with SpecialText::kPlain"});
  }
  std::size_t cut = text.find(kEndOfText);
  while (cut != std::string_view::npos) {
    encoder.add_text(text.substr(0, cut));
    encoder.add_id(*end_of_text_);
    text.remove_prefix(cut + kEndOfText.size());
    cut = text.find(kEndOfText);
  }
  encoder.add_text(text);
  return encoder.take_ids();
}

std::string BpeTokenizer::decode(const std::vector<Index>& ids) const {
  std::string text;
  for (const Index id : ids) {
    if (id < 0 || id >= vocab_size()) {
      throw_out_of_range({"BpeTokenizer: id ", id, "; it must be from 0 to ", vocab_size() - 1});
    }
    text += vocabulary_.tokens[static_cast<std::size_t>(id)];
  }
  return text;
}

void BpeTokenizer::save(const std::string& vocabulary_path, const std::string& merges_path) const {
  const std::string vocabulary = vocabulary_text();
  const std::string merges = merges_text();
  AtomicFile vocabulary_file("BpeTokenizer::save", vocabulary_path);
  AtomicFile merges_file("BpeTokenizer::save", merges_path);
  if (same_file(vocabulary_path, merges_path)) {
    throw_invalid({"BpeTokenizer::save: both files are ", quoted(merges_path),
                   "; each needs a name of its own"});
  }
  vocabulary_file.write(vocabulary.data(), static_cast<Index>(vocabulary.size()));
  merges_file.write(merges.data(), static_cast<Index>(merges.size()));
  vocabulary_file.commit();
  merges_file.commit();
}

}  // namespace vitro::nn
