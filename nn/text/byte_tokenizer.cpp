#include "nn/text/byte_tokenizer.h"

#include "tensor/indices.h"

namespace vitro::nn {

std::vector<Index> ByteTokenizer::encode(std::string_view text) const {
  std::vector<Index> ids;
  ids.reserve(text.size());
  for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
  return ids;
}

std::string ByteTokenizer::decode(const std::vector<Index>& ids) const {
  std::string text;
  for (const Index id : ids) {
    check_id(id, vocab_size(), "ByteTokenizer", "id");
    text += static_cast<char>(id);
  }
  return text;
}

}  // namespace vitro::nn
