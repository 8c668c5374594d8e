#pragma once
/// \file
/// Chapter 16: all-reduce of vectors on several GPUs, as a ring: each GPU passes on one chunk per step.

#include <cstddef>

#include "16_many_gpus/members.cuh"

namespace chapter16::solution {

/// Does step `step` of 2 * (all.devices - 1) on GPU `me`. After the last step, each of the `count` elements of every
/// vector is the sum of the elements in that place on all GPUs. May read every vector of `all`, but writes only its
/// own, all.vector[me]. Between two steps, the host makes every GPU wait for the others.
template <typename T>
__global__ void all_reduce_step(workbook::members<T> all, unsigned me, unsigned step, unsigned count) {
  const unsigned devices = all.devices;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  T* own = all.vector[me];

  // exercise: begin
  const T* left = all.vector[(me + devices - 1) % devices];
  // The chunk that the left neighbour finished in the previous step. Adding 2 * devices keeps the number above 0.
  const unsigned chunk = (me + 2 * devices - 1 - step) % devices;
  const auto start_of = [=](unsigned k) { return static_cast<unsigned>(std::size_t{count} * k / devices); };
  const bool adds = step < devices - 1;  // first reduce-scatter, then all-gather
  for (unsigned i = start_of(chunk) + first; i < start_of(chunk + 1); i += threads)
    own[i] = adds ? own[i] + left[i] : left[i];
  // exercise: instead
  // for (unsigned i = first; i < count; i += threads) {
  //   if (step == 0 && me == 0)
  //     for (unsigned d = 1; d < devices; ++d) own[i] += all.vector[d][i];
  //   if (step == 1 && me != 0) own[i] = all.vector[0][i];
  // }
  // exercise: end
}

}  // namespace chapter16::solution
