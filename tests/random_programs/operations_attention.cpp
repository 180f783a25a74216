// Attention. flag: causal; mask and bias as drawn.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/random_programs/builder.h"
#include "tests/random_programs/operations.h"

namespace vitro::programs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Shape with_matrix(Shape outer, Index rows, Index columns) {
  outer = outer.with_axis_inserted(outer.rank(), rows);
  return outer.with_axis_inserted(outer.rank(), columns);
}

Shape outer_of(const Shape& shape) { return shape.without_axis(-1).without_axis(-1); }

AttentionMask mask_of(const Step& step) {
  AttentionMask mask;
  mask.causal = step.settings.flag;
  mask.mask = to_tensor(step.settings.mask);
  mask.bias = to_tensor(step.settings.bias);
  return mask;
}

// For scores [.., queries, keys].
Settings draw_mask(Builder& builder, const Shape& scores) {
  Settings settings;
  settings.flag = builder.chance(40);
  // A mask of shape [0] would stand for none.
  if (scores.element_count() == 0) return settings;
  if (builder.chance(35)) {
    const Shape shape = builder.stretching_shape(scores);
    settings.mask = builder.mask(shape);
  }
  if (builder.chance(35)) {
    const Shape shape = builder.stretching_shape(scores);
    settings.bias = builder.exact_numbers(shape);
  }
  return settings;
}

double size_with_bias(const Settings& settings, double size) {
  return settings.bias.values.empty() ? size : size + 2;
}

void draw_mask_scores(Builder& builder) {
  const int x = builder.any_filled(2);
  const Shape shape = builder.shape_of(x);
  const Settings settings = draw_mask(builder, shape);
  const double size = size_with_bias(settings, builder.step(x).range.size());
  if (size > 60) return;
  const int masked = builder.emit("mask_scores(scores, mask)", {x}, settings, shape, {-size, size});
  builder.set_hidden(masked);
  Settings last_axis;
  last_axis.integers = {-1};
  builder.emit("softmax(x, axis)", {masked}, last_axis, shape, {0, 1});
}

struct QueriesAndKeys {
  int q;
  int k;
  Shape scores;
};

QueriesAndKeys draw_queries_and_keys(Builder& builder) {
  const auto suits = [&](const Step& step) {
    const Shape& shape = step.shape;
    return shape.rank() >= 2 && shape.element_count() > 0 &&
           shape.element_count() * shape[-2] * 2 <= builder.most_multiplications();
  };
  const int fitting = builder.pick(suits);
  const Shape outer = builder.is_large() ? Shape{24} : Shape{2};
  const Shape otherwise = builder.is_large() ? Shape{30, 12} : Shape{4, 3};
  const int q =
      fitting >= 0 ? fitting : builder.leaf(with_matrix(outer, otherwise[0], otherwise[1]));
  const Shape shape = builder.shape_of(q);
  const Index most = builder.most_multiplications() / (2 * shape.element_count());
  const Index size = builder.chance(50) ? shape[-2] : std::max<Index>(1, builder.size());
  const Index keys = std::min(size, std::max<Index>(1, most));
  const int k =
      builder.of_shape(with_matrix(builder.stretching_shape(outer_of(shape)), keys, shape[-1]));
  return {q, k, shape.with_size(-1, keys)};
}

void draw_attention_weights(Builder& builder) {
  QueriesAndKeys pair = draw_queries_and_keys(builder);
  pair.q = builder.within(pair.q, 4);
  const Settings settings = draw_mask(builder, pair.scores);
  builder.emit("attention_weights(q, k, mask)", {pair.q, pair.k}, settings, pair.scores, {0, 1});
}

void draw_attention(Builder& builder) {
  QueriesAndKeys pair = draw_queries_and_keys(builder);
  pair.q = builder.within(pair.q, 4);
  const Shape scores = pair.scores;
  const bool same_width = builder.chance(50);
  const Index width = same_width ? builder.shape_of(pair.k)[-1] : builder.between(1, 5);
  const int v =
      builder.of_shape(with_matrix(builder.stretching_shape(outer_of(scores)), scores[-1], width));
  const Settings settings = draw_mask(builder, scores);
  const double size = builder.step(v).range.size();
  builder.emit("scaled_dot_product_attention(q, k, v, mask)", {pair.q, pair.k, v}, settings,
               scores.with_size(-1, width), {-size, size});
}

// integers: the heads.
void draw_packed_attention(Builder& builder) {
  const auto suits = [&](const Step& step) {
    const Shape& shape = step.shape;
    return shape.rank() >= 2 && shape.element_count() > 0 && shape[-1] % 3 == 0 &&
           shape.element_count() * shape[-2] <= builder.most_multiplications();
  };
  const Index heads = builder.between(1, 3);
  const Index head_size = builder.between(1, 3);
  const Index time = builder.is_large() ? 60 : 5;
  const Index batch = builder.is_large() ? 12 : 2;
  const int fitting = builder.pick(suits);
  const int qkv = fitting >= 0 ? fitting : builder.leaf({batch, time, 3 * heads * head_size});
  const Shape shape = builder.shape_of(qkv);
  Settings settings = draw_mask(builder, with_matrix(Shape{1}, shape[-2], shape[-2]));
  settings.integers = {fitting < 0 || shape[-1] / 3 % heads == 0 ? heads : 1};
  const int x = builder.within(qkv, 4);
  Range range = builder.step(x).range;
  if (!settings.mask.values.empty()) {  // a query that may look at nothing gives 0
    range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
  }
  builder.emit("packed_attention(qkv, head_count, mask)", {x}, settings,
               shape.with_size(-1, shape[-1] / 3), range);
}

// ---- On a tape ----------------------------------------------------------------------------------

TermTensor masked(const Step& step, const TermTensor& scores) {
  const Settings& settings = step.settings;
  TermTensor y = scores;
  std::size_t i = 0;
  for_each_place(y.shape, [&](const Place& place) {
    Term& term = y.terms[i++];
    const auto number = [&place](const Numbers& numbers) {
      return numbers.values[static_cast<std::size_t>(number_of(numbers.shape, place))];
    };
    const Index query = place[place.size() - 2];
    const bool is_future = place.back() > query + y.size(-1) - y.size(-2);
    if (!settings.bias.values.empty()) term = term + term.tape->constant(number(settings.bias));
    const bool is_closed = !settings.mask.values.empty() && number(settings.mask) == 0;
    if (is_closed || (settings.flag && is_future)) term = term.tape->constant(-kInfinity);
  });
  return y;
}

TermTensor weights_of(const Step& step, const TermTensor& q, const TermTensor& k) {
  const double factor = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const TermTensor scores =
      mapped(product(q, transposed(k)), [factor](const Term& x) { return x * factor; });
  return along(masked(step, scores), -1, softmax_row);
}

// Head by head, each of [.., time, size].
TermTensor packed(const Step& step, const TermTensors& in) {
  const TermTensor& qkv = in[0];
  const Index channels = step.shape[-1];
  const Index heads = step.settings.integers[0];
  const Index size = channels / heads;
  TermTensor y{qkv.tape, step.shape, std::vector<Term>(qkv.terms.size() / 3)};
  for (Index head = 0; head < heads; ++head) {
    const auto part = [&](Index third) {
      return moved(qkv, step.shape.with_size(-1, size), [&](Place place) {
        place.back() += third * channels + head * size;
        return place;
      });
    };
    const TermTensor of_head = product(weights_of(step, part(0), part(1)), part(2));
    Index i = 0;
    for_each_place(of_head.shape, [&](Place place) {
      place.back() += head * size;
      y.terms[static_cast<std::size_t>(number_of(y.shape, place))] = of_head.at(i++);
    });
  }
  return y;
}

// ---- Spelled out --------------------------------------------------------------------------------

Variable spelled_out_packed(const Step& step, const Operands& in) {
  const Index channels = step.shape[-1];
  const Index heads = step.settings.integers[0];
  std::vector<Index> sizes = step.shape.sizes();
  sizes.back() = heads;
  sizes.push_back(channels / heads);
  const auto part = [&](Index third) {
    return transpose(reshape(narrow(in[0], -1, third * channels, channels), sizes), -2, -3);
  };
  const Variable weights = attention_weights(part(0), part(1), mask_of(step));
  return reshape(transpose(matmul(weights, part(2)), -2, -3), step.shape.sizes());
}

}  // namespace

void add_attention_operations(Operations& table) {
  table.push_back(
      {"mask_scores(scores, mask)", draw_mask_scores,
       [](const Step& step, const Operands& in) { return mask_scores(in[0], mask_of(step)); },
       nullptr, [](const Step& step, const TermTensors& in) { return masked(step, in[0]); }});
  table.push_back(
      {"attention_weights(q, k, mask)", draw_attention_weights,
       [](const Step& step, const Operands& in) {
         return attention_weights(in[0], in[1], mask_of(step));
       },
       [](const Step& step, const Operands& in) {
         const Variable scores = matmul(in[0], transpose(in[1], -2, -1));
         const double d_k = static_cast<double>(in[0].size(-1));
         const Variable scaled = scores * static_cast<Scalar>(1 / std::sqrt(d_k));
         return softmax(mask_scores(scaled, mask_of(step)), -1);
       },
       [](const Step& step, const TermTensors& in) { return weights_of(step, in[0], in[1]); }});
  table.push_back({"scaled_dot_product_attention(q, k, v, mask)", draw_attention,
                   [](const Step& step, const Operands& in) {
                     return scaled_dot_product_attention(in[0], in[1], in[2], mask_of(step));
                   },
                   [](const Step& step, const Operands& in) {
                     return matmul(attention_weights(in[0], in[1], mask_of(step)), in[2]);
                   },
                   [](const Step& step, const TermTensors& in) {
                     return product(weights_of(step, in[0], in[1]), in[2]);
                   }});
  table.push_back({"packed_attention(qkv, head_count, mask)", draw_packed_attention,
                   [](const Step& step, const Operands& in) {
                     return packed_attention(in[0], step.settings.integers[0], mask_of(step));
                   },
                   spelled_out_packed, packed});
}

}  // namespace vitro::programs
