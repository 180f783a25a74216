// .npy files: round trips, exact bytes, and NumPy itself where it is installed.
#include "tensor/files/npy.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "tensor/create.h"
#include "tensor/files/safetensors.h"
#include "tensor/views.h"

#include "tests/support/files.h"
#include "tests/support/python.h"

namespace vitro {
namespace {

using testing_support::file_error_of;
using testing_support::little_endian;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

const std::string kScalarCode = sizeof(Scalar) == 4 ? "<f4" : "<f8";

std::string bits_of(const Tensor& x) {
  const std::vector<Scalar> values = x.to_vector();
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Scalar)};
}

TEST(NpyWriter, WritesExactlyTheseBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  write_npy(path, Indices({2}, {-1, 3}));
  std::string dict = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
  dict.append(128 - 10 - dict.size() - 1, ' ');
  dict += '\n';
  EXPECT_EQ(read_bytes(path), "\x93NUMPY" + std::string("\1\0", 2) + little_endian(118, 2) + dict +
                                  little_endian(~0ULL, 8) + little_endian(3, 8));
}

TEST(NpyWriter, ShapesAsPythonWritesThem) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  const auto header_of = [&path](const Tensor& x) {
    write_npy(path, x);
    const std::string bytes = read_bytes(path);
    EXPECT_EQ(bytes.find('\n') % 64, 63U);
    return bytes.substr(10, bytes.find('}') - 10 + 1);
  };
  const std::string start = "{'descr': '" + kScalarCode + "', 'fortran_order': False, 'shape': ";
  EXPECT_EQ(header_of(ones({})), start + "(), }");
  EXPECT_EQ(header_of(ones({6})), start + "(6,), }");
  EXPECT_EQ(header_of(ones({2, 0, 3})), start + "(2, 0, 3), }");
}

TEST(Npy, RoundTripKeepsEveryBit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  Rng rng(5);
  const Tensor matrix = normal({5, 3}, 0, 1, rng);
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Tensor special(
      {5}, {Scalar(-0.0), infinity, -infinity, std::numeric_limits<Scalar>::denorm_min(),
            std::numeric_limits<Scalar>::quiet_NaN()});
  for (const Tensor& x : {matrix, transpose(matrix, 0, 1), special, ones({}), zeros({0, 3}),
                          normal({2, 1, 2, 1, 2, 1, 2, 3}, 0, 1, rng)}) {
    write_npy(path, x);
    const Tensor y = read_npy(path);
    EXPECT_EQ(y.shape(), x.shape());
    EXPECT_EQ(bits_of(y), bits_of(x));
  }
  const Indices ids({2, 3}, {1, -2, 3, 4, 5, std::numeric_limits<Index>::max()});
  write_npy(path, ids);
  EXPECT_EQ(read_npy_indices(path), ids);
}

TEST(Npy, FloatsAndWholeNumbersAreNotMixedUp) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.npy");
  write_npy(path, ones({2}));
  EXPECT_EQ(file_error_of([&] { read_npy_indices(path); }).substr(0, 10), "WrongDtype");
  write_npy(path, Indices({1}, {1}));
  EXPECT_EQ(file_error_of([&] { read_npy(path); }).substr(0, 10), "WrongDtype");
}

// ---- Against NumPy itself --------------------------------------------------------------------

std::string find_numpy() { return testing_support::find_python("numpy"); }

// Runs a Python script in `folder`; true where it ends well.
bool run_python(const std::string& python, const TemporaryFolder& folder,
                const std::string& script) {
  const std::string path = folder.file("script.py");
  write_bytes(path, script);
  const std::string command = "cd '" + folder.path() + "' && '" + python + "' script.py";
  return std::system(command.c_str()) == 0;
}

TEST(NumPy, ReadsWhatWeWrite) {
  const std::string python = find_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy: it was NOT checked that it reads ours";
  const TemporaryFolder folder;
  write_npy(folder.file("matrix.npy"), reshape(arange(6), {2, 3}));
  write_npy(folder.file("transposed.npy"), transpose(reshape(arange(6), {2, 3}), 0, 1));
  write_npy(folder.file("scalar.npy"), full({}, Scalar(0.5)));
  write_npy(folder.file("empty.npy"), zeros({3, 0}));
  write_npy(folder.file("ids.npy"), Indices({3}, {-1, 0, 1}));
  EXPECT_TRUE(run_python(python, folder, R"(import numpy as np
def check(name, expected):
    x = np.load(name + ".npy", allow_pickle=False)
    assert x.shape == expected.shape and x.dtype == expected.dtype, (name, x.shape, x.dtype)
    assert x.tobytes() == expected.tobytes(), (name, x)
real = np.dtype(")" + kScalarCode + R"(")
check("matrix", np.arange(6, dtype=real).reshape(2, 3))
check("transposed", np.ascontiguousarray(np.arange(6, dtype=real).reshape(2, 3).T))
check("scalar", np.array(0.5, dtype=real))
check("empty", np.zeros((3, 0), dtype=real))
check("ids", np.array([-1, 0, 1], dtype="<i8"))
)"));
}

TEST(NumPy, WritesWhatWeRead) {
  const std::string python = find_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy: it was NOT checked that we read its";
  const TemporaryFolder folder;
  ASSERT_TRUE(run_python(python, folder, R"(import numpy as np
x = np.arange(24, dtype="<f4").reshape(2, 3, 4) / 8
np.save("plain.npy", x)
np.save("half.npy", x.astype("<f2"))
np.save("double.npy", x.astype("<f8"))
np.save("big.npy", x.astype(">f8"))
np.save("fortran.npy", np.asfortranarray(x))
with open("version2.npy", "wb") as file: np.lib.format.write_array(file, x, version=(2, 0))
with open("version3.npy", "wb") as file: np.lib.format.write_array(file, x, version=(3, 0))
i = np.arange(24).reshape(2, 3, 4)
np.save("i8.npy", i.astype("<i8"))
np.save("i4.npy", np.asfortranarray(i.astype(">i4")))
np.save("u1.npy", i.astype("u1"))
)"));
  const Tensor expected = reshape(arange(24), {2, 3, 4});
  for (const char* name : {"plain", "half", "double", "big", "fortran", "version2", "version3"}) {
    const Tensor x = read_npy(folder.file(std::string(name) + ".npy"));
    ASSERT_EQ(x.shape(), expected.shape()) << name;
    for (std::size_t i = 0; i < 24; ++i) {
      EXPECT_EQ(x.to_vector()[i], Scalar(i) / 8) << name << " " << i;
    }
  }
  for (const char* name : {"i8", "i4", "u1"}) {
    const Indices x = read_npy_indices(folder.file(std::string(name) + ".npy"));
    ASSERT_EQ(x.shape(), expected.shape()) << name;
    for (Index i = 0; i < 24; ++i) EXPECT_EQ(x[i], i) << name;
  }
}

// NumPy finds each tensor of our safetensors file by nothing but json and frombuffer.
TEST(NumPy, ReadsOurSafetensors) {
  const std::string python = find_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy: it was NOT checked that it reads ours";
  const TemporaryFolder folder;
  write_safetensors(folder.file("x.safetensors"),
                    {{"x", reshape(arange(6), {2, 3})}, {"ids", Indices({2}, {-5, 7})}},
                    {{"note", "é\n\"\\"}}, Dtype::F32);
  EXPECT_TRUE(run_python(python, folder, R"(import json, numpy as np
bytes = open("x.safetensors", "rb").read()
size = int.from_bytes(bytes[:8], "little")
assert size % 8 == 0
header = json.loads(bytes[8:8 + size])
assert header.pop("__metadata__") == {"note": "é\n\"\\"}
def load(name, dtype):
    begin, end = header[name]["data_offsets"]
    x = np.frombuffer(bytes[8 + size + begin:8 + size + end], dtype)
    return x.reshape(header[name]["shape"]).tolist()
assert load("x", "<f4") == [[0, 1, 2], [3, 4, 5]]
assert load("ids", "<i8") == [-5, 7]
)"));
}

}  // namespace
}  // namespace vitro
