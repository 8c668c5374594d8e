#pragma once
/// \file
/// Chapter 11: three kernels with different loads, each without and with launch bounds. All compute the same as
/// `largest_sums` in launch_bounds.cuh.

#include <cstddef>

#include "reductions/operators.cuh"
#include "reductions/vector.cuh"

namespace chapter11 {

/// Each load reads one element.
struct base {
  template <typename T>
  __device__ static void run(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
    const unsigned threads = gridDim.x * blockDim.x;
    for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < points; p += threads) {
      T best{};
#pragma unroll 8  // as many loads of `big` as the wide versions have in a double's unrolled step
      for (unsigned k = 0; k < terms; ++k) best = workbook::maximum()(best, big[k * pitch + p] + small[k]);
      out[p] = best;
    }
  }
};

/// Each load of `small` reads 16 bytes.
struct wide_small {
  template <typename T>
  __device__ static void run(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
    constexpr unsigned N = workbook::elements_per_load<T>;
    const unsigned threads = gridDim.x * blockDim.x;
    for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < points; p += threads) {
      T best{};
      unsigned k = 0;
#pragma unroll 4
      for (; k + N <= terms; k += N) {
        const workbook::vector<N, T> s = workbook::load<N>(small + k);
        for (unsigned j = 0; j < N; ++j) best = workbook::maximum()(best, big[(k + j) * pitch + p] + s.elements[j]);
      }
      for (; k < terms; ++k) best = workbook::maximum()(best, big[k * pitch + p] + small[k]);
      out[p] = best;
    }
  }
};

/// Each load of either array reads 16 bytes, so a thread has N points. `base` handles points that don't fill a vector.
struct wide_both {
  template <typename T>
  __device__ static void run(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
    constexpr unsigned N = workbook::elements_per_load<T>;
    const unsigned threads = gridDim.x * blockDim.x;
    const unsigned vectors = pitch % N == 0 ? points / N : 0;
    for (unsigned v = blockIdx.x * blockDim.x + threadIdx.x; v < vectors; v += threads) {
      workbook::vector<N, T> best{};
      unsigned k = 0;
#pragma unroll 4
      for (; k + N <= terms; k += N) {
        const workbook::vector<N, T> s = workbook::load<N>(small + k);
        for (unsigned j = 0; j < N; ++j) take(best, big + (k + j) * pitch + std::size_t{v} * N, s.elements[j]);
      }
      for (; k < terms; ++k) take(best, big + k * pitch + std::size_t{v} * N, small[k]);
      for (unsigned i = 0; i < N; ++i) out[std::size_t{v} * N + i] = best.elements[i];
    }
    const unsigned done = vectors * N;
    base::run(big + done, small, out + done, points - done, terms, pitch);
  }

 private:
  template <unsigned N, typename T>
  __device__ static void take(workbook::vector<N, T>& best, const T* from, T s) {
    const workbook::vector<N, T> b = workbook::load<N>(from);
    for (unsigned i = 0; i < N; ++i) best.elements[i] = workbook::maximum()(best.elements[i], b.elements[i] + s);
  }
};

/// The compiler knows nothing about the launch.
template <typename Version, typename T>
__global__ void unbounded(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
  Version::run(big, small, out, points, terms, pitch);
}

/// The compiler knows the largest block size, and how many such blocks must fit on an SM.
template <typename Version, unsigned threads, unsigned blocks, typename T>
__global__ void __launch_bounds__(threads, blocks)
    bounded(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
  Version::run(big, small, out, points, terms, pitch);
}

}  // namespace chapter11
