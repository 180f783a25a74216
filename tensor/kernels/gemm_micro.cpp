// Compiled with -ffp-contract=fast, alone in the library: `sum += a * b` becomes one fused
// multiply-add on every machine that has it.
#include "tensor/kernels/gemm_micro.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// What the tile reads next. Rows of A are reached from at most three pointers, so that all
// addresses are pointer + {0, 1, 2, 3} * stride: one pointer a row would need more registers than
// there are.
template <Index kRows>
struct Operands {
  const Scalar* a_rows[(kRows + 3) / 4];  // rows 0, 4 and 8, as far as there are any
  const Scalar* b;
};

// One step of all chains: sum[i][v] += a[i, p] * b[p, v].
template <Index kRows, Index kVectors>
inline void add_products(Lanes (&sum)[kRows][kVectors], const Operands<kRows>& at,
                         Index a_row_stride) {
  Lanes b_row[kVectors];
  unroll<kVectors>([&](auto v) { b_row[v] = load(at.b + v * kLaneCount); });
  unroll<kRows>([&](auto i) {
    const Lanes a = broadcast(at.a_rows[i / 4][i % 4 * a_row_stride]);
    unroll<kVectors>([&](auto v) { sum[i][v] = multiply_add(a, b_row[v], sum[i][v]); });
  });
}

// A tile of kRows x (kVectors registers).
template <Index kRows, Index kVectors>
void multiply_registers(const Tile& tile) {
  const Index c_stride = tile.c_row_stride;
  Scalar* const c = tile.c;
  Lanes sum[kRows][kVectors] = {};
  const auto for_each_register = [&](const auto& body) {
    unroll<kRows>([&](auto i) { unroll<kVectors>([&](auto v) { body(i, v); }); });
  };
  if (tile.from_c)
    for_each_register([&](auto i, auto v) { sum[i][v] = load(c + i * c_stride + v * kLaneCount); });

  const Index a_stride = tile.a_row_stride;
  Operands<kRows> at;
  for (Index i = 0; i < kRows; i += 4) at.a_rows[i / 4] = tile.a + i * a_stride;
  at.b = tile.b;
  // Meanwhile the tile of C to the right is fetched, a row after every so many steps: all rows at
  // once would hold up the reads. Where there is no such tile, fetching does no harm.
  const Scalar* next_c = c + kVectors * kLaneCount;
  const Index steps_per_fetch = std::max<Index>(32, (tile.depth + kRows - 1) / kRows);
  for (Index left = tile.depth; left > 0; left -= steps_per_fetch) {
    unroll<kVectors>([&](auto v) { prefetch_for_write(next_c + v * kLaneCount); });
    next_c += c_stride;
#pragma GCC unroll 1  // Clang would unroll it four times and run out of registers.
    for (Index p = std::min(steps_per_fetch, left); p > 0; --p) {
      add_products(sum, at, a_stride);
      for (const Scalar*& a_row : at.a_rows) a_row += tile.a_depth_stride;
      at.b += tile.b_row_stride;
    }
  }

  if (const Scalar* const bias = tile.bias)
    for_each_register([&](auto i, auto v) { sum[i][v] += load(bias + v * kLaneCount); });
  if (const Scalar* const residual = tile.residual)
    for_each_register([&](auto i, auto v) {
      sum[i][v] += load(residual + i * tile.residual_row_stride + v * kLaneCount);
    });
  for_each_register([&](auto i, auto v) { store(c + i * c_stride + v * kLaneCount, sum[i][v]); });
}

using TileFunction = void (*)(const Tile&);

template <Index kVectors, std::size_t... kRowsMinusOne>
constexpr std::array<TileFunction, kTileRows> tile_functions(
    std::index_sequence<kRowsMinusOne...>) {
  return {multiply_registers<Index{kRowsMinusOne} + 1, kVectors>...};
}

constexpr auto kHeights = std::make_index_sequence<kTileRows>{};
constexpr auto kOneVectorWide = tile_functions<1>(kHeights);
constexpr auto kTwoVectorsWide = tile_functions<2>(kHeights);

void multiply_whole_registers(const Tile& tile) {
  const auto& by_height = tile.columns > kLaneCount ? kTwoVectorsWide : kOneVectorWide;
  by_height[static_cast<std::size_t>(tile.rows - 1)](tile);
}

// A tile that ends inside a register is computed in a buffer of whole registers, then copied.
void multiply_partial_registers(const Tile& tile) {
  Scalar buffer[kTileRows * kTileColumns];
  Tile whole = tile;
  whole.c = buffer;
  whole.c_row_stride = kTileColumns;
  whole.bias = whole.residual = nullptr;
  if (tile.from_c)
    for (Index i = 0; i < tile.rows; ++i)
      for (Index j = 0; j < tile_width(tile.columns); ++j)
        buffer[i * kTileColumns + j] =
            j < tile.columns ? tile.c[i * tile.c_row_stride + j] : Scalar(0);
  multiply_whole_registers(whole);
  for (Index i = 0; i < tile.rows; ++i)
    for (Index j = 0; j < tile.columns; ++j) {
      Scalar sum = buffer[i * kTileColumns + j];
      if (tile.bias) sum += tile.bias[j];
      if (tile.residual) sum += tile.residual[i * tile.residual_row_stride + j];
      tile.c[i * tile.c_row_stride + j] = sum;
    }
}

// Adds kSteps products to every sum of a row of C, which lies in the first-level cache meanwhile.
template <Index kSteps>
void add_steps(const Scalar* a, Index a_stride, const Scalar* b, Index b_stride, Scalar* c,
               Index columns) {
  Lanes a_lanes[kSteps];
  unroll<kSteps>([&](auto p) { a_lanes[p] = broadcast(a[p * a_stride]); });
  Index j = 0;
  for (; j + kLaneCount <= columns; j += kLaneCount) {
    Lanes sum = load(c + j);
    unroll<kSteps>(
        [&](auto p) { sum = multiply_add(a_lanes[p], load(b + p * b_stride + j), sum); });
    store(c + j, sum);
  }
  for (; j < columns; ++j) {
    Scalar sum = c[j];
    unroll<kSteps>([&](auto p) { sum += a[p * a_stride] * b[p * b_stride + j]; });
    c[j] = sum;
  }
}

}  // namespace

void multiply_row(const Tile& tile) {
  constexpr Index kSteps = 8;
  if (!tile.from_c) std::fill_n(tile.c, tile.columns, Scalar(0));
  Index p = 0;
  const auto add = [&](const auto& add_some, Index steps) {
    add_some(tile.a + p * tile.a_depth_stride, tile.a_depth_stride, tile.b + p * tile.b_row_stride,
             tile.b_row_stride, tile.c, tile.columns);
    p += steps;
  };
  while (p + kSteps <= tile.depth) add(add_steps<kSteps>, kSteps);
  while (p < tile.depth) add(add_steps<1>, 1);
  for (Index j = 0; tile.bias && j < tile.columns; ++j) tile.c[j] += tile.bias[j];
  for (Index j = 0; tile.residual && j < tile.columns; ++j) tile.c[j] += tile.residual[j];
}

void multiply_tile(const Tile& tile) {
  if (tile.columns % kLaneCount == 0)
    multiply_whole_registers(tile);
  else
    multiply_partial_registers(tile);
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
