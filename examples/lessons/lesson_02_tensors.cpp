// Lesson 2: strides, views and broadcasting, number by number.
#include <iostream>
#include <vector>

#include "tensor/arithmetic.h"
#include "tensor/create.h"
#include "tensor/matmul.h"
#include "tensor/views.h"

#include "examples/common/lesson.h"

namespace vitro::examples {
namespace {

void show_with_strides(const std::string& name, const Tensor& x) {
  show(name + ", strides " + strides_text(x), x);
}

// The same six numbers in memory, seen in four ways.
void strides() {
  heading("Strides: one memory, many views");
  const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
  show_with_strides("x", x);
  show_with_strides("transpose(x)", transpose(x, 0, 1));  // [3, 2]: the strides are swapped
  show_with_strides("column 1", narrow(x, 1, 1, 1));      // [2, 1]: starts one number later
  const Tensor row({1, 3}, {10, 20, 30});
  show_with_strides("a row stretched to 2 rows", broadcast_to(row, {2, 3}));
}

// reshape copies where no strides exist for the new shape; view refuses.
void reshaping() {
  heading("reshape and view");
  const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor turned = transpose(x, 0, 1);  // [3, 2]
  show("reshape(transpose(x), 6)", reshape(turned, {6}));
  try {
    view(turned, {6});
  } catch (const ShapeError& error) {
    std::cout << error.what() << "\n\n";
  }
}

// Writing to a tensor never changes another, though both shared their numbers before.
void values() {
  heading("A tensor is a value");
  Tensor x({2}, {1, 2});
  const Tensor copy = x;  // shares the numbers
  x.set({0}, 100);        // x gets memory of its own first
  show("x", x);
  show("copy", copy);
}

void broadcasting() {
  heading("Broadcasting: shapes are matched from the last axis");
  const Tensor matrix({2, 3}, {1, 2, 3, 4, 5, 6});
  show("[2, 3] + [3]", matrix + Tensor({3}, {10, 20, 30}));
  show("[2, 3] * [2, 1]", matrix * Tensor({2, 1}, {1, 100}));
  show("[2, 1] + [1, 3]", Tensor({2, 1}, {10, 20}) + Tensor({1, 3}, {1, 2, 3}));
  try {
    matrix + Tensor({2}, {1, 2});
  } catch (const ShapeError& error) {
    std::cout << error.what() << "\n\n";
  }
}

void products() {
  heading("A product is a row times a column");
  const Tensor a({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b({3, 2}, {1, 0, 0, 1, 1, 1});
  show("a b", matmul(a, b));
  const Tensor batch = ones({5, 2, 3});  // five matrices
  std::cout << "[5, 2, 3] times [3, 2] is " << matmul(batch, b).shape().to_string() << "\n";
}

void lesson() {
  strides();
  reshaping();
  values();
  broadcasting();
  products();
}

}  // namespace
}  // namespace vitro::examples

int main(int argc, char** argv) {
  return vitro::examples::run_lesson(argc, argv, "lesson_02_tensors",
                                     "strides, views and broadcasting, number by number.",
                                     vitro::examples::lesson);
}
