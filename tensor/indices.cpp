#include "tensor/indices.h"

#include <utility>

namespace vitro {
inline namespace VITRO_SCALAR_NAMESPACE {

Indices::Indices(const Shape& shape, std::vector<Index> values)
    : shape_(shape), values_(std::move(values)) {
  if (static_cast<Index>(values_.size()) != shape_.element_count()) {
    throw ShapeError({"Indices: ", values_.size(), " values for shape ", shape_, "; it takes ",
                      shape_.element_count()});
  }
}

Index Indices::operator[](Index i) const {
  if (element_count() == 0) throw_out_of_range({"Indices: entry ", i, " of 0; there are none"});
  if (i < 0 || i >= element_count()) {
    throw_out_of_range({"Indices: entry ", i, " of ", element_count(), "; it must be from 0 to ",
                        element_count() - 1});
  }
  return values_[static_cast<std::size_t>(i)];
}

}  // namespace VITRO_SCALAR_NAMESPACE

Indices reshape(const Indices& x, const std::vector<Index>& sizes) {
  return Indices(reshaped_shape(x.shape(), sizes, "reshape"), x.values());
}

Indices narrow(const Indices& x, Index axis, Index start, Index length) {
  const Index from_front = x.shape().resolve_axis(axis, "narrow");
  check_entries(x.shape(), axis, start, length, "narrow");
  const Shape shape = x.shape().with_size(from_front, length);
  Index inner = 1;
  for (Index i = from_front + 1; i < x.rank(); ++i) inner *= x.size(i);
  std::vector<Index> values;
  values.reserve(static_cast<std::size_t>(shape.element_count()));
  const Index outer = shape.element_count() == 0 ? 0 : shape.element_count() / (length * inner);
  for (Index i = 0; i < outer; ++i) {
    const auto from = x.values().begin() + (i * x.size(from_front) + start) * inner;
    values.insert(values.end(), from, from + length * inner);
  }
  return Indices(shape, std::move(values));
}

void check_ids(const Indices& ids, Index count, const char* function, const char* what) {
  for (const Index id : ids.values()) {
    if (id < 0 || id >= count) check_id(id, count, function, what);  // throws
  }
}

void check_id(Index id, Index count, const char* function, const char* what) {
  if (id >= 0 && id < count) return;
  if (count < 1) throw_out_of_range({function, ": ", what, " ", id, "; there are none to pick"});
  throw_out_of_range({function, ": ", what, " ", id, "; it must be from 0 to ", count - 1});
}

}  // namespace vitro
