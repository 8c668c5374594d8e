#pragma once
/// \file
/// Chapter 16, your kernel: let every GPU pass on one chunk in every step, instead of sending everything to one GPU.

#include <cstddef>

#include "16_many_gpus/members.cuh"

namespace chapter16::exercise {

/// Does step `step` of 2 * (all.devices - 1) on GPU `me`. After the last step, each of the `count` elements of every
/// vector is the sum of the elements in that place on all GPUs. May read every vector of `all`, but writes only its
/// own, all.vector[me]. Between two steps, the host makes every GPU wait for the others.
template <typename T>
__global__ void all_reduce_step(workbook::members<T> all, unsigned me, unsigned step, unsigned count) {
  const unsigned devices = all.devices;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  T* own = all.vector[me];

  // TODO(chapter 16): let every GPU pass on one chunk in every step, instead of sending everything to one GPU.
  for (unsigned i = first; i < count; i += threads) {
    if (step == 0 && me == 0)
      for (unsigned d = 1; d < devices; ++d) own[i] += all.vector[d][i];
    if (step == 1 && me != 0) own[i] = all.vector[0][i];
  }
}

}  // namespace chapter16::exercise
