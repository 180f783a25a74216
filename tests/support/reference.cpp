#include "tests/support/reference.h"

#include <algorithm>
#include <utility>

#include "tests/support/expect.h"

namespace vitro::test {
namespace {

Index count_of(const Places& sizes) {
  Index count = 1;
  for (const Index size : sizes) count *= size;
  return count;
}

// The next place in row-major order.
void advance(Places& place, const Places& sizes) {
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (++place[axis] < sizes[axis]) return;
    place[axis] = 0;
  }
}

Places stretched_sizes(const Places& a, const Places& b) {
  Places sizes = a.size() > b.size() ? a : b;
  const Places& other = a.size() > b.size() ? b : a;
  for (std::size_t i = 0; i < other.size(); ++i) {
    Index& size = sizes[sizes.size() - other.size() + i];
    if (size == 1) size = other[i];
  }
  return sizes;
}

}  // namespace

double Reference::at(const Places& place) const {
  Index offset = 0;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    offset = offset * sizes[axis] + place.at(axis);
  }
  return values.at(static_cast<std::size_t>(offset));
}

Reference make_reference(const Places& sizes, const std::function<double(const Places&)>& value) {
  Reference result{sizes, {}};
  Places place(sizes.size(), 0);
  for (Index i = 0; i < count_of(sizes); ++i) {
    result.values.push_back(value(place));
    advance(place, sizes);
  }
  return result;
}

Reference reference_of(const Tensor& x) {
  return make_reference(x.shape().sizes(), [&x](const Places& place) {
    const Scalar* number = x.strided_data();
    for (std::size_t axis = 0; axis < place.size(); ++axis)
      number += place[axis] * x.strides()[axis];
    return static_cast<double>(*number);
  });
}

Reference transposed(const Reference& x, Index a, Index b) {
  const auto swap_two = [a, b](Places places) {
    std::swap(places[static_cast<std::size_t>(a)], places[static_cast<std::size_t>(b)]);
    return places;
  };
  return make_reference(swap_two(x.sizes), [&](const Places& p) { return x.at(swap_two(p)); });
}

Reference permuted(const Reference& x, const Places& axes) {
  Places sizes;
  for (const Index axis : axes) sizes.push_back(x.sizes[static_cast<std::size_t>(axis)]);
  return make_reference(sizes, [&](const Places& place) {
    Places source(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      source[static_cast<std::size_t>(axes[i])] = place[i];
    }
    return x.at(source);
  });
}

Reference narrowed(const Reference& x, Index axis, Index start, Index length) {
  Places sizes = x.sizes;
  sizes[static_cast<std::size_t>(axis)] = length;
  return make_reference(sizes, [&](Places place) {
    place[static_cast<std::size_t>(axis)] += start;
    return x.at(place);
  });
}

Reference reshaped(const Reference& x, const Places& sizes) { return {sizes, x.values}; }

Reference broadcast(const Reference& x, const Places& sizes) {
  return make_reference(sizes, [&](const Places& place) {
    Places source(place.end() - static_cast<Index>(x.sizes.size()), place.end());
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (x.sizes[i] == 1) source[i] = 0;
    }
    return x.at(source);
  });
}

Reference zipped(const Reference& a, const Reference& b,
                 const std::function<double(double, double)>& f) {
  const Places sizes = stretched_sizes(a.sizes, b.sizes);
  const Reference wide_a = broadcast(a, sizes);
  const Reference wide_b = broadcast(b, sizes);
  return make_reference(sizes, [&](const Places& p) { return f(wide_a.at(p), wide_b.at(p)); });
}

Reference folded(const Reference& x, const Places& axes,
                 const std::function<double(const std::vector<double>&)>& fold) {
  Places sizes = x.sizes;
  for (const Index axis : axes) sizes[static_cast<std::size_t>(axis)] = 1;
  return make_reference(sizes, [&](const Places& kept) {
    std::vector<double> group;
    Places place(x.sizes.size(), 0);
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      bool belongs = true;
      for (std::size_t axis = 0; axis < place.size(); ++axis) {
        belongs = belongs && (sizes[axis] != x.sizes[axis] || place[axis] == kept[axis]);
      }
      if (belongs) group.push_back(x.values[i]);
      advance(place, x.sizes);
    }
    return fold(group);
  });
}

Reference multiplied(const Reference& a, const Reference& b) {
  const Index k = a.sizes.back();
  Places sizes = stretched_sizes(Places(a.sizes.begin(), a.sizes.end() - 2),
                                 Places(b.sizes.begin(), b.sizes.end() - 2));
  Places sizes_a = sizes;
  sizes_a.insert(sizes_a.end(), a.sizes.end() - 2, a.sizes.end());
  Places sizes_b = sizes;
  sizes_b.insert(sizes_b.end(), b.sizes.end() - 2, b.sizes.end());
  const Reference wide_a = broadcast(a, sizes_a);
  const Reference wide_b = broadcast(b, sizes_b);
  sizes.push_back(a.sizes[a.sizes.size() - 2]);
  sizes.push_back(b.sizes.back());
  return make_reference(sizes, [&](const Places& place) {
    double sum = 0;
    for (Index i = 0; i < k; ++i) {
      Places left = place;
      Places right = place;
      left.back() = i;
      right[right.size() - 2] = i;
      sum += wide_a.at(left) * wide_b.at(right);
    }
    return sum;
  });
}

void expect_close(const Tensor& x, const Reference& expected, double tolerance) {
  expect_close(x, Shape(expected.sizes), expected.values, tolerance);
}

}  // namespace vitro::test
