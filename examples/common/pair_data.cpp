#include "examples/common/pair_data.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tensor/error.h"
#include "tensor/files/input_file.h"

#include "examples/common/date_pairs.h"
#include "examples/common/sequence_tasks.h"

namespace vitro::examples {

Pairs load_pairs(const std::string& path, Rng& rng) {
  Pairs pairs;
  if (path.empty()) {
    pairs.train = date_pairs(Part::kTrain, rng);
    pairs.test = date_pairs(Part::kTest, rng);
  } else {
    for (nn::TextPair& pair : nn::split_pairs(read_small_file("--pairs", path), path)) {
      std::vector<Index> bytes(pair.first.begin(), pair.first.end());
      (part_of(bytes) == Part::kTest ? pairs.test : pairs.train).push_back(std::move(pair));
    }
  }
  if (pairs.train.empty() || pairs.test.empty()) {
    throw std::runtime_error(join_text({path, ": ", pairs.train.size(), " pairs to train on, ",
                                        pairs.test.size(), " to test; both parts need some"}));
  }
  std::string source_letters = kPadding;
  std::string target_letters = kEdge;
  for (const auto* part : {&pairs.train, &pairs.test}) {
    for (const auto& [source, target] : *part) {
      source_letters += source;
      target_letters += target;
    }
  }
  pairs.sources = nn::CharTokenizer(std::string_view(source_letters));
  pairs.targets = nn::CharTokenizer(std::string_view(target_letters));
  for (const auto* part : {&pairs.train, &pairs.test}) {
    for (const auto& [source, target] : *part) {
      const auto source_length = static_cast<Index>(pairs.sources.encode(source).size());
      const auto target_length = static_cast<Index>(pairs.targets.encode(target).size());
      pairs.longest_source = std::max(pairs.longest_source, source_length);
      pairs.longest_target = std::max(pairs.longest_target, target_length);
    }
  }
  return pairs;
}

PairBatch batch_of(const Pairs& pairs, const std::vector<nn::TextPair>& list,
                   const std::vector<Index>& picked) {
  const Index edge = pairs.targets.encode(kEdge).front();
  std::vector<std::vector<Index>> sources, inputs, targets;
  for (const Index i : picked) {
    const auto& [source, target] = list[static_cast<std::size_t>(i)];
    sources.push_back(pairs.sources.encode(source));
    inputs.push_back(pairs.targets.encode(kEdge + target));
    targets.push_back(pairs.targets.encode(target + kEdge));
  }
  return {side_by_side(sources, pairs.sources.encode(kPadding).front()), side_by_side(inputs, edge),
          side_by_side(targets, kNoTarget)};
}

}  // namespace vitro::examples
