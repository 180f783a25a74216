#include "examples/common/char_model_file.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "tensor/error.h"
#include "tensor/files/safetensors.h"

#include "nn/weights.h"

#include "examples/common/saved_weights.h"

namespace vitro::examples {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr Index kMostOfAnything = 1 << 20;  // no sensible size is larger

const std::string& field(const Metadata& metadata, const std::string& key,
                         const std::string& path) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) {
    throw_invalid({"load_char_model: ", path, " says nothing about '", key,
                   "'; it must be a model that 04_char_model saved"});
  }
  return found->second;
}

Index size_field(const Metadata& metadata, const std::string& key, const std::string& path) {
  const std::string& text = field(metadata, key, path);
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 ||
      value > kMostOfAnything) {
    throw_invalid({"load_char_model: ", path, ": ", key, " is '", text,
                   "'; it must be a whole number from 1 to ", kMostOfAnything});
  }
  return value;
}

// 0 where nothing is said about it.
Scalar dropout_field(const Metadata& metadata, const std::string& path) {
  const auto found = metadata.find("dropout");
  if (found == metadata.end()) return 0;
  const std::string& text = found->second;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value < 1)) {
    throw_invalid({"load_char_model: ", path, ": dropout is '", text,
                   "'; it must be a number from 0 to below 1"});
  }
  return static_cast<Scalar>(value);
}

// Characters as hexadecimal bytes with commas between: "0a,20,c3a9". Metadata must be UTF-8, and a
// text may not be.
std::string characters_text(const std::vector<std::string>& characters) {
  std::string text;
  for (const std::string& character : characters) {
    if (!text.empty()) text += ',';
    for (const char byte : character) text += hex_text(static_cast<unsigned char>(byte));
  }
  return text;
}

std::vector<std::string> parse_characters(const std::string& text, const std::string& path) {
  std::vector<std::string> characters(1);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ',') {
      characters.emplace_back();
      ++i;
      continue;
    }
    unsigned byte = 0;
    const char* const begin = text.data() + i;
    const char* const end = text.data() + std::min(i + 2, text.size());
    if (std::from_chars(begin, end, byte, 16).ptr != begin + 2) {
      throw_invalid({"load_char_model: ", path, ": the list of characters is damaged at letter ", i,
                     "; it must be pairs of hexadecimal digits"});
    }
    characters.back() += static_cast<char>(byte);
    i += 2;
  }
  return characters;
}

// Whether the file's tensors have these sizes: asked before a model of them takes any memory.
void check_sizes(const SafetensorsFile& file, const nn::GptOptions& options) {
  const auto has = [&file](const std::string& name, const Shape& shape) {
    return file.contains(name) && file.entry(name).shape == shape;
  };
  const std::string last_block = join_text({"block_", options.layer_count - 1, ".attention.w_o"});
  if (!has("tokens.weight", {options.vocab_size, options.channels}) ||
      !has("positions.weight", {options.block_size, options.channels}) ||
      !has(last_block, {options.channels, options.channels})) {
    throw_invalid({"load_char_model: ", file.path(), ": its tensors are not those of ",
                   options.layer_count, " layers of ", options.channels, " channels, ",
                   options.vocab_size, " characters and block size ", options.block_size,
                   ", which its metadata names"});
  }
}

}  // namespace

Metadata char_model_texts(const nn::Gpt& model, const nn::CharTokenizer& tokenizer) {
  const nn::GptOptions& options = model.options();
  return {{"model", "vitro character GPT"},
          {"n_layer", join_text({options.layer_count})},
          {"n_head", join_text({options.head_count})},
          {"n_embd", join_text({options.channels})},
          {"block_size", join_text({options.block_size})},
          {"dropout", join_text({options.dropout})},
          {"characters", characters_text(tokenizer.characters())}};
}

void save_char_model(const std::string& path, const nn::Gpt& model,
                     const nn::CharTokenizer& tokenizer) {
  Metadata metadata = char_model_texts(model, tokenizer);
  metadata["format"] = "pt";
  save_trained(path, model, metadata);
}

CharModel load_char_model(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const Metadata& metadata = file.metadata();
  nn::CharTokenizer tokenizer(parse_characters(field(metadata, "characters", path), path));
  nn::GptOptions options;
  options.vocab_size = tokenizer.vocab_size();
  options.layer_count = size_field(metadata, "n_layer", path);
  options.head_count = size_field(metadata, "n_head", path);
  options.channels = size_field(metadata, "n_embd", path);
  options.block_size = size_field(metadata, "block_size", path);
  options.dropout = dropout_field(metadata, path);
  check_sizes(file, options);
  Rng rng(1);
  auto model = std::make_unique<nn::Gpt>(options, rng);
  nn::load_weights(file, *model);
  return {std::move(tokenizer), std::move(model)};
}

}  // namespace vitro::examples
