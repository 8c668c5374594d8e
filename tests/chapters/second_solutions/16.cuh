#pragma once
/// \file
/// A different right solution of chapter 16: a direct exchange. Each GPU adds up its share of all vectors at once. Then
/// each copies the other shares from the GPUs that have added them up.

#include "16_many_gpus/members.cuh"

namespace chapter16::exercise {

/// The share of one GPU. Its size is rounded up, so the last shares may be shorter, or empty.
struct share {
  unsigned begin, end;
  __device__ share(unsigned of, unsigned devices, unsigned count) {
    const unsigned size = count / devices + (count % devices != 0 ? 1 : 0);
    begin = min(count, of * size);
    end = min(count, begin + size);
  }
};

template <typename T>
__global__ void all_reduce_step(workbook::members<T> all, unsigned me, unsigned step, unsigned count) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  if (step == 0) {
    const share mine(me, all.devices, count);
    for (unsigned i = mine.begin + first; i < mine.end; i += threads) {
      T sum = 0;
      for (unsigned d = 0; d < all.devices; ++d) sum += all.vector[d][i];
      all.vector[me][i] = sum;
    }
  }
  if (step == 1) {
    for (unsigned d = 0; d < all.devices; ++d) {
      const share theirs(d, all.devices, count);
      for (unsigned i = theirs.begin + first; d != me && i < theirs.end; i += threads)
        all.vector[me][i] = all.vector[d][i];
    }
  }
}

}  // namespace chapter16::exercise
