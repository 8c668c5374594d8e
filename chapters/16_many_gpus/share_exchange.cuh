#pragma once
/// \file
/// Chapter 16: all-reduce of long vectors with one launch per GPU. Each GPU sums its share of all vectors, and writes
/// the sums to all of them.

#include <cstddef>

#include <cuda/atomic>

#include "16_many_gpus/members.cuh"
#include "reductions/vector.cuh"

namespace chapter16 {

/// Two flags for each block of each GPU, "my vector is ready" and "I have written my sums": numbers of calls.
struct exchange_flags {
  unsigned* flag[workbook::max_members];  ///< Device: flag[d] is in the memory of GPU d. Zeroed once.
};

/// Waits until block blockIdx.x of every GPU is here. All threads of the block must call it, once per phase.
__device__ inline void meet(const exchange_flags& flags, unsigned devices, unsigned me, unsigned phase, unsigned call) {
  using flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
  const auto place = [&](unsigned from) { return (phase * devices + from) * gridDim.x + blockIdx.x; };
  const unsigned other = threadIdx.x;
  __syncthreads();
  if (other < devices && other != me) {
    flag(flags.flag[other][place(me)]).store(call, cuda::memory_order_release);
    // The other block may already be in the next call. The difference is right even if the numbers wrap around at 2^32.
    while (static_cast<int>(flag(flags.flag[me][place(other)]).load(cuda::memory_order_acquire) - call) < 0) {
    }
  }
  __syncthreads();
}

/// Replaces each of the `count` elements of all vectors by the sum of the elements in that place. This is call number
/// `call` of GPU `me`, counted from 1. Launch it on every GPU with the same grid, all of whose blocks run at once.
/// Blocks have at least as many threads as there are GPUs. Vectors begin at multiples of 16 bytes.
template <typename T>
__global__ void share_exchange(workbook::members<T> all, exchange_flags flags, unsigned me, unsigned call,
                               unsigned count) {
  constexpr unsigned per_vector = workbook::elements_per_load<T>;
  const unsigned devices = all.devices, vectors = count / per_vector;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const auto share_of = [=](unsigned d) { return static_cast<unsigned>(std::size_t{vectors} * d / devices); };

  meet(flags, devices, me, 0, call);  // all vectors are ready
  for (unsigned i = share_of(me) + first; i < share_of(me + 1); i += threads) {
    auto sum = workbook::load<per_vector>(all.vector[0] + i * per_vector);
    for (unsigned d = 1; d < devices; ++d) {
      const auto more = workbook::load<per_vector>(all.vector[d] + i * per_vector);
      for (unsigned e = 0; e < per_vector; ++e) sum.elements[e] += more.elements[e];
    }
    for (unsigned d = 0; d < devices; ++d) workbook::store(all.vector[d] + i * per_vector, sum);
  }
  // GPU 0 takes the elements that don't fill a vector.
  for (unsigned i = vectors * per_vector + first; me == 0 && i < count; i += threads) {
    T sum = 0;
    for (unsigned d = 0; d < devices; ++d) sum += all.vector[d][i];
    for (unsigned d = 0; d < devices; ++d) all.vector[d][i] = sum;
  }
  meet(flags, devices, me, 1, call);  // all GPUs have written their sums
}

}  // namespace chapter16
