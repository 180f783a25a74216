// Elementwise operations, reductions, shapes and products.
#include "autograd/ops.h"

#include "tests/conformance/operations.h"

namespace vitro::conformance {
namespace {

KeepAxes keep_of(const RecordedCase& c) {
  return c.flag("keepdim") ? KeepAxes::kYes : KeepAxes::kNo;
}

// The axes of a reduction. PyTorch lets a scalar have the axes 0 and -1.
std::vector<Index> axes_of(const RecordedCase& c) {
  return c.x(0).shape().rank() == 0 ? std::vector<Index>{} : c.integers("dim");
}

// Where a narrowed part starts; below 0 it counts from the end.
Index start_of(const RecordedCase& c) {
  const Index start = c.integer("start");
  return start < 0 ? start + c.x(0).shape()[c.integer("dim")] : start;
}

Gelu gelu_kind(const RecordedCase& c) {
  const std::string kind = c.has("approximate") ? c.attributes["approximate"].string() : "none";
  if (kind != "tanh" && kind != "none") throw_invalid({"gelu: unknown approximation '", kind, "'"});
  return kind == "tanh" ? Gelu::kTanh : Gelu::kErf;
}

std::vector<Variable> variance(const RecordedCase& c) {
  const Variable y = var(c.x(0), axes_of(c), keep_of(c));
  const Index correction = c.integer("correction", 0);
  if (correction == 0) return {y};
  // The library divides by N, the case by N - correction.
  const Index n = c.x(0).shape().element_count() / y.shape().element_count();
  return {y * (static_cast<Scalar>(n) / static_cast<Scalar>(n - correction))};
}

std::vector<Variable> concatenation(const RecordedCase& c) {
  std::vector<Operand> parts;
  for (const Variable& variable : c.variables) parts.emplace_back(variable);
  return {cat(parts, c.integer("dim", 0))};
}

std::vector<Variable> transpose_then_reshape(const RecordedCase& c) {
  const Variable swapped = transpose(c.x(0), c.integer("dim0"), c.integer("dim1"));
  std::vector<Index> sizes = swapped.shape().sizes();
  const Index last = sizes.back();
  sizes.pop_back();
  if (c.has("shape")) return {reshape(swapped, c.integers("shape"))};
  sizes.back() *= last;  // the last two axes become one
  return {reshape(swapped, sizes)};
}

// Vectors, which the library's matmul leaves to its caller, become a row and a column.
std::vector<Variable> product(const RecordedCase& c) {
  const bool row = c.x(0).shape().rank() == 1;
  const bool column = c.x(1).shape().rank() == 1;
  Variable y = matmul(row ? unsqueeze(c.x(0), 0) : c.x(0), column ? unsqueeze(c.x(1), 1) : c.x(1));
  if (column) y = squeeze(y, -1);
  if (row) y = squeeze(y, column ? -1 : -2);
  return {y};
}

std::vector<Variable> linear_map(const RecordedCase& c) {
  if (!c.has_input(2)) return {matmul(c.x(0), c.x(1))};
  return {linear(c.x(0), c.x(1), c.x(2))};
}

std::vector<Variable> used_four_times(const RecordedCase& c) {
  const Variable& x = c.x(0);
  return {x * exp(x) + x * tanh(x)};
}

void add_elementwise(OperationTable& table) {
  using Case = RecordedCase;
  using Results = std::vector<Variable>;
  table["add"] = [](const Case& c) -> Results { return {c.x(0) + c.x(1)}; };
  table["sub"] = [](const Case& c) -> Results { return {c.x(0) - c.x(1)}; };
  table["mul"] = [](const Case& c) -> Results { return {c.x(0) * c.x(1)}; };
  table["div"] = [](const Case& c) -> Results { return {c.x(0) / c.x(1)}; };
  table["neg"] = [](const Case& c) -> Results { return {-c.x(0)}; };
  table["exp"] = [](const Case& c) -> Results { return {exp(c.x(0))}; };
  table["log"] = [](const Case& c) -> Results { return {log(c.x(0))}; };
  table["sqrt"] = [](const Case& c) -> Results { return {sqrt(c.x(0))}; };
  table["tanh"] = [](const Case& c) -> Results { return {tanh(c.x(0))}; };
  table["sigmoid"] = [](const Case& c) -> Results { return {sigmoid(c.x(0))}; };
  table["relu"] = [](const Case& c) -> Results { return {relu(c.x(0))}; };
  table["silu"] = [](const Case& c) -> Results { return {silu(c.x(0))}; };
  table["gelu"] = [](const Case& c) -> Results { return {gelu(c.x(0), gelu_kind(c))}; };
  table["pow"] = [](const Case& c) -> Results { return {pow(c.x(0), c.number("exponent", 1))}; };
  table["square_by_mul"] = [](const Case& c) -> Results { return {c.x(0) * c.x(0)}; };
  table["masked_fill"] = [](const Case& c) -> Results {
    return {masked_fill(c.x(0), c.mask(1), c.number("value", 0))};
  };
  table["reuse"] = used_four_times;
}

void add_reductions_and_shapes(OperationTable& table) {
  using Case = RecordedCase;
  using Results = std::vector<Variable>;
  table["sum"] = [](const Case& c) -> Results { return {sum(c.x(0), axes_of(c), keep_of(c))}; };
  table["mean"] = [](const Case& c) -> Results { return {mean(c.x(0), axes_of(c), keep_of(c))}; };
  table["max"] = [](const Case& c) -> Results { return {max(c.x(0), axes_of(c), keep_of(c))}; };
  table["var"] = variance;
  table["reshape"] = [](const Case& c) -> Results {
    return {reshape(c.x(0), c.integers("shape"))};
  };
  table["transpose"] = [](const Case& c) -> Results {
    return {transpose(c.x(0), c.integer("dim0"), c.integer("dim1"))};
  };
  table["permute"] = [](const Case& c) -> Results { return {permute(c.x(0), c.integers("dims"))}; };
  table["narrow"] = [](const Case& c) -> Results {
    return {narrow(c.x(0), c.integer("dim"), start_of(c), c.integer("length"))};
  };
  table["broadcast_to"] = [](const Case& c) -> Results {
    return {broadcast_to(c.x(0), Shape(c.integers("shape")))};
  };
  table["cat"] = concatenation;
  table["transpose_reshape"] = transpose_then_reshape;
}

void add_products(OperationTable& table) {
  using Case = RecordedCase;
  using Results = std::vector<Variable>;
  table["matmul"] = product;
  table["matmul_nt"] = [](const Case& c) -> Results {
    return {matmul(c.x(0), transpose(c.x(1), -2, -1))};
  };
  table["matmul_tn"] = [](const Case& c) -> Results {
    return {matmul(transpose(c.x(0), -2, -1), c.x(1))};
  };
  table["linear"] = linear_map;
}

}  // namespace

void add_basic_operations(OperationTable& table) {
  add_elementwise(table);
  add_reductions_and_shapes(table);
  add_products(table);
}

}  // namespace vitro::conformance
