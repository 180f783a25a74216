#include "tensor/print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <vector>

namespace vitro {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Which entries of an axis are shown; -1 stands for the gap.
std::vector<Index> shown_entries(Index size, bool shorten, Index edge) {
  std::vector<Index> entries;
  for (Index i = 0; i < size; ++i) {
    if (shorten && size - edge > edge && i == edge) {
      entries.push_back(-1);
      i = size - edge;
    }
    if (i < size) entries.push_back(i);
  }
  return entries;
}

// The shown cells of one tensor, as texts in row-major order of the shown entries.
class Table {
 public:
  Table(const Shape& shape, const PrintOptions& options) : shape_(shape) {
    if (shape.element_count() == 0) return;
    const bool shorten = shape.element_count() > options.max_elements;
    for (const Index size : shape) {
      entries_.push_back(shown_entries(size, shorten, std::max<Index>(0, options.edge_entries)));
    }
  }

  // Calls visit(offset) for each shown cell, `offset` counting in row-major order of the tensor.
  void for_each_cell(const std::function<void(Index)>& visit) const {
    if (shape_.element_count() > 0) walk(0, 0, visit);
  }

  // Brackets, commas and aligned columns around the cells' texts.
  std::string layout(const std::vector<std::string>& cells) const {
    if (shape_.element_count() == 0) return "[]";
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    std::string text;
    std::size_t next = 0;
    append_axis(0, cells, width, next, text);
    return text;
  }

 private:
  Index axis_count() const { return static_cast<Index>(entries_.size()); }

  void walk(Index axis, Index offset, const std::function<void(Index)>& visit) const {
    if (axis == axis_count()) return visit(offset);
    for (const Index entry : entries_[static_cast<std::size_t>(axis)]) {
      if (entry >= 0) walk(axis + 1, offset * shape_[axis] + entry, visit);
    }
  }

  void append_axis(Index axis, const std::vector<std::string>& cells, std::size_t width,
                   std::size_t& next, std::string& text) const {
    if (axis == axis_count()) {
      const std::string& cell = cells[next++];
      text += std::string(axis == 0 ? 0 : width - cell.size(), ' ') + cell;
      return;
    }
    const bool innermost = axis == axis_count() - 1;
    // Between two sub-tensors of rank r: a new line and r - 1 empty ones.
    const std::string gap = innermost ? ", "
                                      : "," + std::string(axis_count() - 1 - axis, '\n') +
                                            std::string(static_cast<std::size_t>(axis) + 1, ' ');
    text += '[';
    bool first = true;
    for (const Index entry : entries_[static_cast<std::size_t>(axis)]) {
      if (!first) text += gap;
      first = false;
      if (entry < 0) {
        text += "...";
      } else {
        append_axis(axis + 1, cells, width, next, text);
      }
    }
    text += ']';
  }

  Shape shape_;
  std::vector<std::vector<Index>> entries_;
};

// Where the element with this row-major number lies.
Index place_of(const Tensor& x, Index element) {
  Index place = 0;
  for (Index axis = x.rank() - 1; axis >= 0; --axis) {
    place += element % x.size(axis) * x.strides()[static_cast<std::size_t>(axis)];
    element /= x.size(axis);
  }
  return place;
}

// One form for all numbers of a tensor: whole, with decimals, or with an exponent.
struct NumberForm {
  bool whole = true;
  bool scientific = false;
};

NumberForm form_of(const std::vector<double>& numbers) {
  NumberForm form;
  double largest = 0;
  double smallest = kInfinity;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    const double size = std::fabs(number);
    form.whole = form.whole && number == std::floor(number) && size < 1e7;
    largest = std::max(largest, size);
    if (size > 0) smallest = std::min(smallest, size);
  }
  form.scientific = !form.whole && (largest >= 1e5 || (largest < 1e-3 && smallest < kInfinity));
  return form;
}

}  // namespace

std::string number_text(double value, Index decimals, bool scientific) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) value = 0;       // -0 is printed as 0
  std::array<char, 400> digits{};  // a double has up to 309 digits before the point
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const int precision = static_cast<int>(std::clamp<Index>(decimals, 0, 40));
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, format, precision).ptr;
  std::string text(digits.data(), end);
  // A number that rounds to zero carries no sign: "-0.0000" helps nobody.
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);
  return text;
}

std::string without_trailing_zeros(std::string number) {
  const bool has_decimals = number.find('.') != std::string::npos;
  if (!has_decimals || number.find('e') != std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string to_string(const Tensor& x, const PrintOptions& options) {
  const Table table(x.shape(), options);
  std::vector<double> numbers;
  table.for_each_cell(
      [&](Index i) { numbers.push_back(static_cast<double>(x.strided_data()[place_of(x, i)])); });
  const NumberForm form = form_of(numbers);
  std::vector<std::string> cells;
  for (const double number : numbers) {
    cells.push_back(number_text(number, form.whole ? 0 : options.decimals, form.scientific));
  }
  return "Tensor " + x.shape().to_string() + "\n" + table.layout(cells);
}

std::string to_string(const Indices& x, const PrintOptions& options) {
  const Table table(x.shape(), options);
  std::vector<std::string> cells;
  table.for_each_cell(
      [&](Index i) { cells.push_back(TextPiece(x.values()[static_cast<std::size_t>(i)]).text()); });
  return "Indices " + x.shape().to_string() + "\n" + table.layout(cells);
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.to_string(); }

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << to_string(x); }

std::ostream& operator<<(std::ostream& out, const Indices& x) { return out << to_string(x); }

}  // namespace vitro
