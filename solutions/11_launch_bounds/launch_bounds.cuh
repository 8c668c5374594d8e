#pragma once
/// \file
/// Chapter 11: wide loads, and launch bounds that give each thread the registers to keep many of them in flight.

#include <cstddef>

#include "reductions/vector.cuh"

namespace chapter11::solution {

// exercise: begin
/// Blocks of up to 512 threads, two per SM, so that 1024 threads share 65536 registers: 64 for each.
inline constexpr unsigned largest_block = 512, resident_blocks = 2;
// exercise: instead
// /// Blocks of any size.
// inline constexpr unsigned largest_block = 1024, resident_blocks = 1;
// exercise: end

/// For each of `points` points p: out[p] = the largest of 0 and big[k * pitch + p] + small[k] over the `terms` terms k.
/// `big` has `terms` rows of `pitch` >= `points` elements. Both `big` and `small` are aligned to 16 bytes.
template <typename T>
__global__ void __launch_bounds__(largest_block, resident_blocks)
    largest_sums(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;

  // exercise: begin
  // The fast path: N points per thread, N terms per step. Legal if every row begins at a multiple of 16 bytes.
  constexpr unsigned N = workbook::elements_per_load<T>;
  const unsigned vectors = pitch % N == 0 ? points / N : 0;
  for (unsigned v = tid; v < vectors; v += threads) {
    workbook::vector<N, T> best{};
    unsigned k = 0;
#pragma unroll 4  // in the code for sm_90, each step still waits for its own loads
    for (; k + N <= terms; k += N) {
      const workbook::vector<N, T> s = workbook::load<N>(small + k);
      for (unsigned j = 0; j < N; ++j) {
        const workbook::vector<N, T> b = workbook::load<N>(big + (k + j) * pitch + std::size_t{v} * N);
        for (unsigned i = 0; i < N; ++i) {
          const T c = b.elements[i] + s.elements[j];
          best.elements[i] = best.elements[i] < c ? c : best.elements[i];
        }
      }
    }
    for (; k < terms; ++k) {
      const workbook::vector<N, T> b = workbook::load<N>(big + k * pitch + std::size_t{v} * N);
      for (unsigned i = 0; i < N; ++i) {
        const T c = b.elements[i] + small[k];
        best.elements[i] = best.elements[i] < c ? c : best.elements[i];
      }
    }
    for (unsigned i = 0; i < N; ++i) out[std::size_t{v} * N + i] = best.elements[i];
  }
  const unsigned done = vectors * N;
  // exercise: instead
  // const unsigned done = 0;
  // exercise: end

  // The slow path: one point per thread, one term per step, for the rest.
  for (unsigned p = done + tid; p < points; p += threads) {
    T best{};
    for (unsigned k = 0; k < terms; ++k) {
      const T c = big[k * pitch + p] + small[k];
      best = best < c ? c : best;
    }
    out[p] = best;
  }
}

}  // namespace chapter11::solution
