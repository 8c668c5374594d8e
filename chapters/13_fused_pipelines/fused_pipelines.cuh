#pragma once
/// \file
/// Chapter 13, your kernel: make the differences and squares a range, and let one launch evaluate and sum it.

#include <cstddef>

#include "13_fused_pipelines/squared_difference.cuh"
#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "device/ranges.cuh"

namespace chapter13::exercise {

// TODO(chapter 13): make the differences and squares a range, and let one launch evaluate and sum it.
/// Pass 1: the differences.
template <typename T>
__global__ void subtract(const T* x, const T* y, T* differences, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) differences[i] = difference(x[i], y[i]);
}
/// Pass 2: their squares.
template <typename T>
__global__ void square(const T* differences, T* squares, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) squares[i] = squared_difference(differences[i], T{});
}

/// Writes the sum of (x[i] - y[i])^2 to `*out`. Integers wrap. All pointers are to device memory: `n` elements at `x`
/// and `y` (n may be 0), and a workspace of `workbook::reduce` for type T, zeroed once. Does not synchronise.
template <typename T>
void distance(const T* x, const T* y, T* out, std::size_t n, void* workspace) {
  // TODO(chapter 13): this, too, is part of the task.
  const workbook::device_bytes differences(n * sizeof(T)), squares(n * sizeof(T));
  auto* const d = reinterpret_cast<T*>(differences.data());
  auto* const s = reinterpret_cast<T*>(squares.data());
  constexpr unsigned block_size = 256;
  const unsigned grid_size = workbook::block_count(n, block_size);
  subtract<<<grid_size, block_size>>>(x, y, d, n);
  square<<<grid_size, block_size>>>(d, s, n);
  // Pass 3: their sum.
  workbook::reduce<T>(static_cast<const T*>(s), out, n, workspace);
}

}  // namespace chapter13::exercise
