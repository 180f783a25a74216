// The ladder: five matrix products, each one idea faster than the last. Read them in order.
//
// All compute C = A B for row-major a [m, k], b [k, n], c [m, n]. The last one is the kernel in
// use.
#pragma once

#include <array>

#include "tensor/scalar.h"

namespace vitro::kernels {

using GemmFunction = void(Index m, Index n, Index k, const Scalar* a, const Scalar* b, Scalar* c);

GemmFunction gemm_naive;
GemmFunction gemm_row_order;
GemmFunction gemm_cache_tiles;
GemmFunction gemm_threads;
GemmFunction gemm_registers;

struct GemmRung {
  const char* name;
  GemmFunction* multiply;
};

constexpr std::array<GemmRung, 5> kGemmLadder = {{{"naive", gemm_naive},
                                                  {"row order", gemm_row_order},
                                                  {"cache tiles", gemm_cache_tiles},
                                                  {"threads", gemm_threads},
                                                  {"registers", gemm_registers}}};

}  // namespace vitro::kernels
