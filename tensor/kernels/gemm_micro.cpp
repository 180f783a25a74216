// Compiled with -ffp-contract=fast, alone in the library: `sum += a * b` becomes one fused
// multiply-add on every machine that has it.
#include "tensor/kernels/gemm_micro.h"

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
  Lanes sum[kRows][kVectors] = {};
  if (tile.from_c)
    unroll(rows, [&](auto i) {
      unroll(vectors,
             [&](auto v) { sum[i][v] = load(tile.c + i * tile.c_row_stride + v * kLaneCount); });
    });

  const Scalar* a = tile.a;
  const Scalar* b = tile.b;
  const Index a_row_stride = tile.a_row_stride;
  for (Index p = 0; p < tile.depth; ++p) {
    Lanes b_row[kVectors];
    unroll(vectors, [&](auto v) { b_row[v] = load(b + v * kLaneCount); });
    unroll(rows, [&](auto i) {
      const Lanes a_element = broadcast(a[i * a_row_stride]);
      unroll(vectors, [&](auto v) { sum[i][v] += a_element * b_row[v]; });
    });
    a += tile.a_depth_stride;
    b += tile.b_row_stride;
  }

  unroll(rows, [&](auto i) {
    unroll(vectors, [&](auto v) {
      const Index j = v * kLaneCount;
      if (tile.bias) sum[i][v] += load(tile.bias + j);
      if (tile.residual) sum[i][v] += load(tile.residual + i * tile.residual_row_stride + j);
      store(tile.c + i * tile.c_row_stride + j, sum[i][v]);
    });
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
