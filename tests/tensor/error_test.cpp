#include "tensor/error.h"

#include <limits>
#include <memory>
#include <thread>

#include "tensor/context.h"
#include "tensor/create.h"
#include "tensor/matmul.h"

#include "tests/support/expect.h"

namespace vitro {
namespace {

using test::message_of;

TEST(Error, PiecesBecomeText) {
  EXPECT_EQ(join_text({"a", 'b', std::string("c"), std::string_view("d"), 1, -2L, 3LL,
                       std::size_t{4}, Shape{5, 6}}),
            "abcd1-234[5, 6]");
  EXPECT_EQ(join_text({0.1, " ", float(0.1), " ", 1e300, " ", 2.0}), "0.1 0.1 1e+300 2");
  EXPECT_EQ(join_text({std::numeric_limits<long long>::min(), " ",
                       std::numeric_limits<std::size_t>::max()}),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(join_text({std::numeric_limits<double>::infinity(), " ",
                       -std::numeric_limits<double>::denorm_min()}),
            "inf -5e-324");
  EXPECT_EQ(join_text({}), "");
}

// Sets the calling thread's place, and clears it.
class Place {
 public:
  Place(const char* file, int line, const char* module) {
    context().file = file;
    context().line = line;
    if (module != nullptr) context().module_path = std::make_shared<const std::string>(module);
  }

  ~Place() { context() = Context{}; }
};

std::string product_error() {
  return message_of<ShapeError>([] { matmul(zeros({2, 3}), zeros({2, 3})); });
}

TEST(Error, SaysWhereItHappened) {
  const std::string plain = product_error();
  EXPECT_EQ(plain,
            "matmul: inner sizes differ: a is [2, 3], b is [2, 3]; the last size of a (3) must "
            "equal the second to last of b (2)");
  {
    const Place place("net.cpp", 7, "gpt.block.3");
    EXPECT_EQ(product_error(), plain + " (called at net.cpp:7, in gpt.block.3)");
  }
  {
    const Place place("net.cpp", 7, nullptr);
    EXPECT_EQ(product_error(), plain + " (called at net.cpp:7)");
  }
  {
    const Place place(nullptr, 7, "gpt");
    EXPECT_EQ(product_error(), plain + " (in gpt)");
    std::string elsewhere;
    std::thread([&elsewhere] { elsewhere = product_error(); }).join();
    EXPECT_EQ(elsewhere, plain) << "another thread has a place of its own";
  }
  {
    const Place place(nullptr, 7, "");
    EXPECT_EQ(product_error(), plain);
  }
}

TEST(Error, TypesSayWhatKind) {
  EXPECT_EQ(message_of<std::invalid_argument>([] { throw_invalid({"f: ", 1}); }), "f: 1");
  EXPECT_EQ(message_of<std::out_of_range>([] { throw_out_of_range({"f: ", 2}); }), "f: 2");
  EXPECT_THROW(throw ShapeError({"f"}), std::invalid_argument);
}

}  // namespace
}  // namespace vitro
