// What the system can refuse: every error carries the path and the system's reason.
#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "tensor/create.h"
#include "tensor/files/atomic_file.h"
#include "tensor/files/json.h"
#include "tensor/files/npy.h"
#include "tensor/files/safetensors.h"

#include "tests/support/files.h"
#include "tests/support/nobody.h"

namespace vitro {
namespace {

namespace fs = std::filesystem;
using testing_support::file_error_of;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

void expect_refused(const std::string& path, const std::string& reason) {
  const std::string end = ": " + path + ": cannot be opened: " + reason;
  const std::string start = "CannotOpen at -1: ";
  EXPECT_EQ(file_error_of([&] { SafetensorsFile::open(path); }), start + "SafetensorsFile" + end);
  EXPECT_EQ(file_error_of([&] { read_npy(path); }), start + "read_npy" + end);
  EXPECT_EQ(file_error_of([&] { read_npy_indices(path); }), start + "read_npy_indices" + end);
  EXPECT_EQ(file_error_of([&] { read_json(path); }), start + "read_json" + end);
}

TEST(FileSystem, BL57_ReadingWhatIsMissingOrAFolderOrADevice) {
  const TemporaryFolder folder;
  expect_refused(folder.file("nope.ckpt"), "No such file or directory");
  expect_refused(folder.file("nope/nope.ckpt"), "No such file or directory");
  expect_refused(folder.path(), "Is a directory");
  expect_refused("/dev/null", "Operation not supported");
  expect_refused("", "No such file or directory");
}

// Root may read everything, so a child process that is not root tries it.
TEST(FileSystem, BL57_ReadingWithoutPermission) {
  const TemporaryFolder folder;
  const std::string path = folder.file("secret");
  write_bytes(path, "{}");
  fs::permissions(path, fs::perms::none);
  const std::optional<std::string> errors = test::as_nobody([&path] {
    return file_error_of([&] { SafetensorsFile::open(path); }) + "\n" +
           file_error_of([&] { read_npy(path); }) + "\n" + file_error_of([&] { read_json(path); }) +
           "\n" + file_error_of([&] { write_npy(path + "/x", ones({2})); });
  });
  if (!errors) GTEST_SKIP() << "root cannot act as another user here: NOT tried";
  const std::string end = ": " + path + ": cannot be opened: Permission denied\n";
  EXPECT_EQ(*errors, "CannotOpen at -1: SafetensorsFile" + end + "CannotOpen at -1: read_npy" +
                         end + "CannotOpen at -1: read_json" + end +
                         "CannotWrite at -1: write_npy: " + path +
                         "/x: cannot be written: Not a directory");
}

TEST(FileSystem, BL57_WritingWhereNothingCanBe) {
  const TemporaryFolder folder;
  const std::string start = "CannotWrite at -1: write_safetensors: ";
  const auto write = [](const std::string& path) {
    return file_error_of([&path] { write_safetensors(path, {{"w", ones({2})}}); });
  };
  const std::string missing = folder.file("missing/w.safetensors");
  EXPECT_EQ(write(missing), start + missing + ": cannot be written: No such file or directory");
  EXPECT_EQ(write(folder.path()), start + folder.path() + ": cannot be written: Is a directory");
  EXPECT_EQ(write("/dev/null"), start + "/dev/null: is no regular file: Operation not supported");
  EXPECT_EQ(write(""), start + ": cannot be written: No such file or directory");
  EXPECT_EQ(file_error_of([&] { write_npy(missing, ones({2})); }),
            "CannotWrite at -1: write_npy: " + missing +
                ": cannot be written: No such file or directory");
  EXPECT_EQ(folder.entry_count(), 0);
}

// What `action` says while no file may grow beyond `limit` bytes: as on a full disk.
std::string error_with_file_limit(rlim_t limit, const std::function<void()>& action) {
  rlimit before{};
  EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = limit;
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = file_error_of(action);
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  return error;
}

TEST(FileSystem, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  write_safetensors(path, {{"w", ones({3})}});
  const std::string old_bytes = read_bytes(path);
  // Below 4096 bytes the numbers wait in the C library's buffer until the end.
  for (const rlim_t limit : {rlim_t{100}, rlim_t{100'000}}) {
    const std::string error = error_with_file_limit(limit, [&] {
      write_safetensors(path, {{"w", zeros({limit == 100 ? 300 : 300'000})}});
    });
    EXPECT_EQ(error, "CannotWrite at -1: write_safetensors: " + path +
                         ": cannot be written: File too large");
    EXPECT_EQ(read_bytes(path), old_bytes);
    EXPECT_EQ(folder.entry_count(), 1);
  }
}

TEST(FileSystem, AFileThatShrinksWhileItIsReadIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.safetensors");
  write_safetensors(path, {{"w", ones({5000})}});
  const SafetensorsFile file = SafetensorsFile::open(path);
  fs::resize_file(path, 1000);
  const std::string error = file_error_of([&] { file.tensor("w"); });
  EXPECT_TRUE(error.starts_with("CannotRead at ")) << error;
  EXPECT_NE(error.find("when it was opened"), std::string::npos) << error;
}

TEST(AtomicFile, AppearsAtCommitAndNotBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write_bytes(path, "old");
  {
    AtomicFile file("test", path);
    file.write("new", 3);
    EXPECT_EQ(read_bytes(path), "old");
    EXPECT_EQ(folder.entry_count(), 2);
    file.commit();
    EXPECT_EQ(read_bytes(path), "new");
    EXPECT_EQ(folder.entry_count(), 1);
  }
  EXPECT_EQ(read_bytes(path), "new");
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  { AtomicFile("test", folder.file("a")).write("new", 3); }
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(AtomicFile, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write_bytes(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, folder.file("link"));
  AtomicFile file("test", folder.file("link"));
  file.write("new", 3);
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, TwoWritersDoNotMeet) {
  const TemporaryFolder folder;
  AtomicFile first("test", folder.file("a"));
  AtomicFile second("test", folder.file("a"));
  first.write("1", 1);
  second.write("2", 1);
  second.commit();
  first.commit();
  EXPECT_EQ(read_bytes(folder.file("a")), "1");
  EXPECT_EQ(folder.entry_count(), 1);
}

// The system would take "a\0b" for "a".
TEST(FileSystem, NamesWithAZeroByteAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string("a\0b", 3));
  EXPECT_THROW(write_npy(path, zeros({1})), FileError);
  write_npy(folder.file("a"), zeros({1}));
  EXPECT_THROW(read_npy(path), FileError);
  EXPECT_THROW(SafetensorsFile::open(path), FileError);
}

TEST(FileSystem, KnowsOneFileByAllItsNames) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  EXPECT_TRUE(same_file(path, folder.file("b/../a")));
  EXPECT_FALSE(same_file(path, folder.file("b")));
  write_bytes(path, "x");
  fs::create_symlink(path, folder.file("soft"));
  fs::create_hard_link(path, folder.file("hard"));
  EXPECT_TRUE(same_file(path, folder.file("soft")));
  EXPECT_TRUE(same_file(folder.file("hard"), path));
  EXPECT_FALSE(same_file(path, folder.file("b")));
}

}  // namespace
}  // namespace vitro
