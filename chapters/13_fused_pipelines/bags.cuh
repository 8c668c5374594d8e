#pragma once
/// \file
/// Sums over bags of different lengths. Bag b has the elements of `in` from offsets[b] up to, but not including,
/// offsets[b + 1], and may be empty. The kernels differ in the threads that add up a bag.

#include <cstddef>

#include "reductions/atomic.cuh"
#include "reductions/block_reduce.cuh"

namespace chapter13 {

/// A thread per bag. A warp's lanes wait for the longest of their 32 bags, and they load from 32 places.
template <typename T>
__global__ void sum_bags_by_threads(const T* in, const unsigned* offsets, T* sums, std::size_t bags) {
  const std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b >= bags) return;
  T sum{};
  for (unsigned i = offsets[b]; i < offsets[b + 1]; ++i) sum += in[i];
  sums[b] = sum;
}

/// A warp per bag. Neighbouring lanes load neighbouring elements, but in a short bag most lanes have nothing to do.
template <typename T>
__global__ void sum_bags_by_warps(const T* in, const unsigned* offsets, T* sums, std::size_t bags) {
  const std::size_t b = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / workbook::warp_size;
  if (b >= bags) return;
  const unsigned lane = threadIdx.x % workbook::warp_size;
  T sum{};
  for (unsigned i = offsets[b] + lane; i < offsets[b + 1]; i += workbook::warp_size) sum += in[i];
  sum = workbook::warp_reduce(sum, workbook::plus{});
  if (lane == 0) sums[b] = sum;
}

/// The number of steps of 32 elements for each warp.
inline constexpr unsigned steps_a_warp = 8;

/// Balanced: all warps have the same number of elements, whatever bags these belong to. In each step of 32 elements,
/// lanes of the same bag add up by shuffles. If a bag extends beyond the step, its sum is added atomically. All sums
/// must be 0 at first. The order of these additions, and so the last bits of floating-point sums, can vary.
template <typename T>
__global__ void sum_bags_balanced(const T* in, const unsigned* offsets, T* sums, std::size_t bags, std::size_t n) {
  constexpr unsigned lanes = workbook::warp_size;
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  const unsigned lane = threadIdx.x % lanes;
  const std::size_t begin = warp * steps_a_warp * lanes;
  if (begin >= n) return;
  // Finds the last bag that begins at or before the lane's first element.
  std::size_t bag = 0;
  for (std::size_t last = bags; bag + 1 < last;) {
    const std::size_t middle = bag + (last - bag) / 2;
    (offsets[middle] <= begin + lane ? bag : last) = middle;
  }
  for (std::size_t base = begin; base < n && base < begin + steps_a_warp * lanes; base += lanes) {
    const std::size_t i = base + lane;
    const bool there = i < n;
    if (there) {
      while (offsets[bag + 1] <= i) ++bag;
    }
    // Lanes beyond the end belong to a bag that doesn't exist.
    const std::size_t mine = there ? bag : bags;
    T sum = there ? in[i] : T{};
    for (unsigned offset = 1; offset < lanes; offset *= 2) {
      const T other = workbook::shuffle_down(~0u, sum, offset);
      const std::size_t its = workbook::shuffle_down(~0u, mine, offset);
      if (lane + offset < lanes && its == mine) sum += other;
    }
    // The first lane of each bag has the sum of its elements in this step.
    const std::size_t before = __shfl_up_sync(~0u, mine, 1);
    if (!there || (lane != 0 && before == mine)) continue;
    if (offsets[bag] == i && offsets[bag + 1] <= base + lanes)
      sums[bag] = sum;
    else
      workbook::add_atomically(sums + bag, sum);
  }
}

}  // namespace chapter13
