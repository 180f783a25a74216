#include "examples/common/saved_weights.h"

#include <iostream>
#include <stdexcept>

#include "tensor/error.h"
#include "tensor/files/safetensors.h"
#include "tensor/pictures/glyphs.h"

#include "nn/weights.h"

namespace vitro::examples {

void save_trained(const std::string& path, const nn::Module& model, const SavedTexts& texts) {
  if (path.empty()) return;
  nn::save_weights(path, model, texts);
  std::cout << "saved in " << path << "\n" << std::flush;
}

void load_trained(const std::string& path, const nn::Module& model, const SavedTexts& texts) {
  if (path.empty()) return;
  const SafetensorsFile file = SafetensorsFile::open(path);
  for (const auto& [name, wanted] : texts) {
    const auto found = file.metadata().find(name);
    if (found == file.metadata().end() || found->second == wanted) continue;
    throw std::runtime_error(join_text({visible_text(path), ": its weights were trained with ",
                                        name, " = ", visible_text(found->second), ", not ", wanted,
                                        "; give the same --", name, ", or another file"}));
  }
  nn::load_weights(file, model);
}

}  // namespace vitro::examples
