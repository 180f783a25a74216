#include "tests/random_programs/operations.h"

#include <map>

namespace vitro::programs {
namespace {

Operations make_operations() {
  Operations table;
  add_pair_operations(table);
  add_elementwise_operations(table);
  add_reduce_operations(table);
  add_view_operations(table);
  add_join_operations(table);
  add_product_operations(table);
  add_softmax_operations(table);
  add_layer_operations(table);
  add_attention_operations(table);
  return table;
}

std::map<std::string, int> make_numbers() {
  std::map<std::string, int> numbers;
  for (const Operation& operation : operations()) {
    const int number = static_cast<int>(numbers.size());
    numbers[operation.declared] = number;
  }
  return numbers;
}

}  // namespace

const Operations& operations() {
  static const Operations table = make_operations();
  return table;
}

int operation_number(const std::string& declared) {
  static const std::map<std::string, int> numbers = make_numbers();
  return numbers.at(declared);
}

Tensor to_tensor(const Numbers& numbers) {
  return Tensor(numbers.shape, std::vector<Scalar>(numbers.values.begin(), numbers.values.end()));
}

}  // namespace vitro::programs
