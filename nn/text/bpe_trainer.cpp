#include "nn/text/bpe_trainer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/error.h"

#include "nn/text/bpe_splitter.h"
#include "nn/text/byte_letters.h"

namespace vitro::nn {
namespace {

constexpr Index kByteCount = 256;
constexpr Index kMaxVocabSize = 1'000'000;

// One distinct word of the text.
struct Word {
  std::vector<Index> tokens;
  Index count;
};

struct PairPlaces {
  Index count = 0;                 // in the whole text
  std::vector<std::size_t> words;  // every word that holds the pair, and some that no longer do
};

// A pair as it was counted once; later merges may have changed its count.
struct CountedPair {
  Index count;
  Index left;
  Index right;

  // A priority_queue gives its greatest element first: the highest count, of these the lowest ids.
  friend bool operator<(const CountedPair& a, const CountedPair& b) {
    if (a.count != b.count) return a.count < b.count;
    return a.left != b.left ? a.left > b.left : a.right > b.right;
  }
};

class Trainer {
 public:
  Trainer(std::string_view text, const BpeTrainingOptions& options) : options_(options) {
    for (const unsigned char byte : bytes_by_letter()) {
      byte_ids_[byte] = static_cast<Index>(vocabulary_.tokens.size());
      add_token(std::string(1, static_cast<char>(byte)));
    }
    count_words(text);
    for (std::size_t word = 0; word < words_.size(); ++word) count_pairs(word);
  }

  BpeVocabulary run() {
    const Index last = options_.vocab_size - (options_.end_of_text ? 1 : 0);
    while (static_cast<Index>(vocabulary_.tokens.size()) < last && !queue_.empty()) {
      const CountedPair best = queue_.top();
      queue_.pop();
      const Index count = pairs_[pair_key(best.left, best.right)].count;
      if (count == best.count) {
        merge(best.left, best.right);
      } else {
        enqueue({count, best.left, best.right});
      }
    }
    if (options_.end_of_text) add_token(std::string(kEndOfText));
    return std::move(vocabulary_);
  }

 private:
  Index add_token(const std::string& bytes) {
    const auto [place, is_new] = ids_.emplace(bytes, static_cast<Index>(vocabulary_.tokens.size()));
    if (is_new) vocabulary_.tokens.push_back(bytes);
    return place->second;
  }

  // Cuts the text into words and counts each, in the order in which they first appear.
  void count_words(std::string_view text) {
    std::unordered_map<std::string_view, std::size_t> places;
    while (!text.empty()) {
      const std::size_t cut = options_.end_of_text ? text.find(kEndOfText) : std::string_view::npos;
      std::string_view document = text.substr(0, cut);
      while (!document.empty()) {
        const std::string_view word = first_word(document);
        const auto [place, is_new] = places.emplace(word, words_.size());
        if (is_new) words_.push_back({byte_tokens(word), 0});
        ++words_[place->second].count;
        document.remove_prefix(word.size());
      }
      text.remove_prefix(cut == std::string_view::npos ? text.size() : cut + kEndOfText.size());
    }
  }

  std::vector<Index> byte_tokens(std::string_view word) const {
    std::vector<Index> tokens;
    for (const char byte : word) tokens.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
    return tokens;
  }

  void enqueue(const CountedPair& pair) {
    if (pair.count >= options_.min_count) queue_.push(pair);
  }

  // The start: all pairs of a word are new. Counts that grow further are entered again.
  void count_pairs(std::size_t word) {
    const std::vector<Index>& tokens = words_[word].tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) add_pair(tokens[i], tokens[i + 1], word);
  }

  void add_pair(Index left, Index right, std::size_t word) {
    PairPlaces& pair = pairs_[pair_key(left, right)];
    pair.count += words_[word].count;
    if (pair.words.empty() || pair.words.back() != word) pair.words.push_back(word);
    enqueue({pair.count, left, right});
  }

  void merge(Index left, Index right) {
    const Index result = add_token(vocabulary_.tokens[static_cast<std::size_t>(left)] +
                                   vocabulary_.tokens[static_cast<std::size_t>(right)]);
    const BpeMerge merge{left, right, result};
    vocabulary_.merges.push_back(merge);
    // The pair is gone from all words afterwards, so its places are no longer needed.
    const std::vector<std::size_t> words = std::move(pairs_[pair_key(left, right)].words);
    for (const std::size_t word : words) merge_in_word(word, merge);
    pairs_.erase(pair_key(left, right));
  }

  // Takes the word's pairs out of the counts, merges, and counts the pairs that are there now.
  void merge_in_word(std::size_t word, const BpeMerge& merge) {
    std::vector<Index>& tokens = words_[word].tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      pairs_[pair_key(tokens[i], tokens[i + 1])].count -= words_[word].count;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool is_pair =
          i + 1 < tokens.size() && tokens[i] == merge.left && tokens[i + 1] == merge.right;
      tokens[kept++] = is_pair ? merge.result : tokens[i];
      if (is_pair) ++i;
    }
    tokens.resize(kept);
    for (std::size_t i = 0; i + 1 < kept; ++i) {
      const bool is_new = tokens[i] == merge.result || tokens[i + 1] == merge.result;
      if (is_new) {
        add_pair(tokens[i], tokens[i + 1], word);
      } else {
        pairs_[pair_key(tokens[i], tokens[i + 1])].count += words_[word].count;
      }
    }
  }

  BpeTrainingOptions options_;
  BpeVocabulary vocabulary_;
  std::array<Index, kByteCount> byte_ids_{};
  std::unordered_map<std::string, Index> ids_;
  std::vector<Word> words_;
  std::unordered_map<std::uint64_t, PairPlaces, PairHash> pairs_;
  std::priority_queue<CountedPair> queue_;
};

void check_options(const BpeTrainingOptions& options) {
  const Index least = kByteCount + (options.end_of_text ? 1 : 0);
  if (options.vocab_size < least || options.vocab_size > kMaxVocabSize) {
    throw_invalid({"train_bpe: vocab_size is ", options.vocab_size, "; it must be from ", least,
                   " to ", kMaxVocabSize});
  }
  if (options.min_count < 1) {
    throw_invalid({"train_bpe: min_count is ", options.min_count, "; it must be at least 1"});
  }
}

}  // namespace

BpeVocabulary train_bpe(std::string_view text, const BpeTrainingOptions& options) {
  check_options(options);
  return Trainer(text, options).run();
}

}  // namespace vitro::nn
