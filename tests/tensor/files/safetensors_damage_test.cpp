// Damaged safetensors and .npy files: always a clean error or a correct load, in bounded memory.
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/create.h"
#include "tensor/files/npy.h"
#include "tensor/files/safetensors.h"

#include "tests/support/files.h"
#include "tests/support/mutate.h"

namespace vitro {
namespace {

using testing_support::file_error_of;
using testing_support::mutate;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

std::string sound_safetensors(const TemporaryFolder& folder) {
  const std::string path = folder.file("sound");
  Rng rng(11);
  write_safetensors(path,
                    {{"w", normal({3, 5}, 0, 1, rng)},
                     {"b", ones({5})},
                     {"ids", Indices({7}, {1, 2, 3, 4, 5, 6, 7})},
                     {"empty", zeros({0, 2})}},
                    {{"format", "pt"}});
  return read_bytes(path);
}

std::string sound_npy(const TemporaryFolder& folder) {
  const std::string path = folder.file("sound");
  write_npy(path, Tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  return read_bytes(path);
}

// Reads everything; how many bytes the tensors take.
Index load_safetensors(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  Index bytes = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (is_float(entry.dtype)) {
      EXPECT_EQ(file.tensor(entry.name).shape(), entry.shape);
    } else {
      EXPECT_EQ(file.indices(entry.name).shape(), entry.shape);
    }
    bytes += entry.shape.element_count() * 8;
  }
  return bytes;
}

Index load_npy(const std::string& path) { return read_npy(path).element_count() * 8; }

using Load = Index (*)(const std::string& path);

// What is said of the first `length` bytes of a file: the sizes found and expected.
std::string cut_sentence(const std::string& sound, std::size_t length) {
  const std::string found = std::to_string(length);
  if (length < 8) return "the file has " + found + " bytes; it takes at least 8 ";
  std::size_t header = 0;
  for (std::size_t i = 8; i-- > 0;) header = header << 8 | static_cast<unsigned char>(sound[i]);
  const std::string after = std::to_string(length - 8);
  if (length < 8 + header) {
    return "a header of " + std::to_string(header) + " bytes, but the file ends " + after +
           " bytes after its length";
  }
  return "the file has " + std::to_string(length - 8 - header) +
         " bytes of data; its tensors take " + std::to_string(sound.size() - 8 - header);
}

TEST(Damage, BL52_EveryCutOfASafetensorsFileIsAnError) {
  const TemporaryFolder folder;
  const std::string sound = sound_safetensors(folder);
  const std::string path = folder.file("cut");
  for (std::size_t length = 0; length < sound.size(); ++length) {
    write_bytes(path, sound.substr(0, length));
    const std::string error = file_error_of([&] { load_safetensors(path); });
    EXPECT_NE(error.find(cut_sentence(sound, length)), std::string::npos) << length << error;
    const bool in_data = length >= 8 && error.starts_with("Truncated");
    const bool in_header =
        error.starts_with("HeaderTooSmall") || error.starts_with("InvalidHeader");
    EXPECT_TRUE(in_data || in_header) << length << ": " << error;
  }
  write_bytes(path, sound);
  EXPECT_EQ(file_error_of([&] { load_safetensors(path); }), "no error");
}

TEST(Damage, BL52_EveryCutOfAnNpyFileIsAnError) {
  const TemporaryFolder folder;
  const std::string sound = sound_npy(folder);
  const std::string path = folder.file("cut");
  for (std::size_t length = 0; length < sound.size(); ++length) {
    write_bytes(path, sound.substr(0, length));
    const std::string error = file_error_of([&] { load_npy(path); });
    const std::string kind = error.substr(0, error.find(' '));
    const std::string expected = length < 6     ? "BadMagic"
                                 : length < 12  ? "HeaderTooSmall"
                                 : length < 128 ? "InvalidHeaderLength"
                                                : "Truncated";
    const bool also_right = length >= 10 && length < 12 && kind == "InvalidHeaderLength";
    EXPECT_TRUE(kind == expected || also_right) << length << ": " << error;
    const std::string sizes =
        "the file has " + std::to_string(length - 128) + " bytes of data; F32 [2, 3] takes 24";
    if (length >= 128 && sizeof(Scalar) == 4) {
      EXPECT_NE(error.find(sizes), std::string::npos) << length << ": " << error;
    }
  }
  write_bytes(path, sound);
  EXPECT_EQ(file_error_of([&] { load_npy(path); }), "no error");
}

// Nothing but FileError comes out, and no tensor memory is taken for a file that is refused.
void expect_clean_answers(const std::string& sound, Load load, const TemporaryFolder& folder) {
  const std::string path = folder.file("mutated");
  Rng rng(2024);
  int refused = 0;
  int accepted = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string bytes = mutate(sound, rng);
    write_bytes(path, bytes);
    const Index requests = memory_counts().system_requests;
    try {
      EXPECT_LE(load(path), 8 * static_cast<Index>(bytes.size()));
      ++accepted;
    } catch (const FileError& error) {
      EXPECT_EQ(memory_counts().system_requests, requests) << error.what();
      EXPECT_EQ(error.path(), path);
      EXPECT_LE(error.byte(), static_cast<Index>(bytes.size())) << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "mutation " << i << " gave another error: " << error.what();
    }
  }
  // Changes of the data are correct files too, so both must come up.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

TEST(Damage, TenThousandMutationsOfASafetensorsFile) {
  const TemporaryFolder folder;
  expect_clean_answers(sound_safetensors(folder), load_safetensors, folder);
}

TEST(Damage, TenThousandMutationsOfAnNpyFile) {
  const TemporaryFolder folder;
  expect_clean_answers(sound_npy(folder), load_npy, folder);
}

}  // namespace
}  // namespace vitro
