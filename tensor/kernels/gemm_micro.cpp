// Compiled with -ffp-contract=fast, alone in the library: `sum += a * b` becomes one fused
// multiply-add on every machine that has it.
#include "tensor/kernels/gemm_micro.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vitro::kernels {
inline namespace VITRO_SCALAR_NAMESPACE {
namespace {

// Calls body(0), body(1), … with constants: the compiler sees straight-line code, and an array that
// is only indexed by constants becomes registers. (GCC leaves it in memory if a loop is unrolled.)
template <class Body, Index... kSteps>
inline void unroll(std::integer_sequence<Index, kSteps...>, const Body& body) {
  (body(std::integral_constant<Index, kSteps>{}), ...);
}

// A tile of kRows x (kVectors registers): `sum` lies in kRows * kVectors registers.
template <Index kRows, Index kVectors>
void multiply_registers(const Tile& tile) {
  constexpr std::make_integer_sequence<Index, kRows> rows{};
  constexpr std::make_integer_sequence<Index, kVectors> vectors{};
  const Index c_stride = tile.c_row_stride;
  Scalar* const c = tile.c;
  Lanes sum[kRows][kVectors] = {};
  if (tile.from_c)
    unroll(rows, [&](auto i) {
      unroll(vectors, [&](auto v) { sum[i][v] = load(c + i * c_stride + v * kLaneCount); });
    });

  const Index a_stride = tile.a_row_stride;
  const Scalar* a0 = tile.a;
  const Scalar* a4 = a0 + 4 * a_stride;
  const Scalar* a8 = a0 + 8 * a_stride;
  const Scalar* b = tile.b;
  const Index stretch = std::max<Index>(32, (tile.depth + kRows - 1) / kRows);
  const Scalar* ahead = c + kVectors * kLaneCount;
  for (Index left = tile.depth; left > 0; left -= stretch) {
    for (Index v = 0; v < kVectors; ++v) __builtin_prefetch(ahead + v * kLaneCount, 1);
    ahead += c_stride;
    for (Index p = std::min(stretch, left); p > 0; --p) {
      Lanes b_row[kVectors];
      unroll(vectors, [&](auto v) { b_row[v] = load(b + v * kLaneCount); });
      unroll(rows, [&](auto i) {
        const Scalar* const a = i < 4 ? a0 : i < 8 ? a4 : a8;
        const Lanes a_element = broadcast(a[i % 4 * a_stride]);
        unroll(vectors, [&](auto v) { sum[i][v] += a_element * b_row[v]; });
      });
      a0 += tile.a_depth_stride;
      a4 += tile.a_depth_stride;
      a8 += tile.a_depth_stride;
      b += tile.b_row_stride;
    }
  }

  if (const Scalar* const bias = tile.bias)
    unroll(rows, [&](auto i) {
      unroll(vectors, [&](auto v) { sum[i][v] += load(bias + v * kLaneCount); });
    });
  if (const Scalar* const residual = tile.residual)
    unroll(rows, [&](auto i) {
      unroll(vectors, [&](auto v) {
        sum[i][v] += load(residual + i * tile.residual_row_stride + v * kLaneCount);
      });
    });
  unroll(rows, [&](auto i) {
    unroll(vectors, [&](auto v) { store(c + i * c_stride + v * kLaneCount, sum[i][v]); });
  });
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

}  // namespace

void multiply_tile(const Tile& tile) {
  if (tile.columns % kLaneCount == 0)
    multiply_whole_registers(tile);
  else
    multiply_partial_registers(tile);
}

}  // namespace VITRO_SCALAR_NAMESPACE
}  // namespace vitro::kernels
