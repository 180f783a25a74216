#include "tensor/files/header_faults.h"

#include "tensor/files/json_reader.h"

namespace vitro {

void HeaderFaults::note(FileErrorKind kind, Index byte, std::initializer_list<TextPiece> pieces) {
  if (first_ && first_->kind() <= kind) return;
  first_.emplace(kind, function_, path_, header_start_ + byte, pieces);
}

void HeaderFaults::note_duplicate(const std::vector<std::string>& keys,
                                  const std::vector<Index>& bytes) {
  const std::optional<std::size_t> twice = find_duplicate(keys);
  if (!twice) return;
  note(FileErrorKind::DuplicateKey, bytes[*twice],
       {"the key ", quoted(keys[*twice]), " comes twice; each may come once"});
}

void HeaderFaults::throw_first() const {
  if (first_) throw FileError(*first_);
}

}  // namespace vitro
