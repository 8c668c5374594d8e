#include "emulator/runtime/block_kernels.hpp"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace runtime_test {
namespace {

__device__ unsigned tickets;

__device__ void fence(fencing how) {
  if (how == fencing::device) __threadfence();
  if (how == fencing::block) __threadfence_block();
}

template <fencing before, fencing after>
__global__ void last_block(int* words) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    words[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
    fence(before);
    last = atomicAdd(&tickets, 1u) + 1 == gridDim.x;
    fence(after);
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += words[k];
    words[gridDim.x] = sum;
    tickets = 0;
  }
}

template <bool with_fence>
__global__ void last_block_volatile(volatile int* words) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    words[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
    if (with_fence) __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += words[k];
    words[gridDim.x] = sum;
  }
}

template <fencing before, fencing after>
__global__ void pass_by_flag(int* words) {
  volatile int* flag = words;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    words[1] = 42;
    fence(before);
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    fence(after);
    words[2] = words[1];
  }
}

template <cuda::thread_scope scope, bool release, bool acquire>
__global__ void pass_by_atomic(int* words) {
  const cuda::atomic_ref<int, scope> flag(words[0]);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    words[1] = 42;
    flag.store(1, release ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (flag.load(acquire ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    words[2] = words[1];
  }
}

__global__ void look_back(unsigned long long* words) {
  if (threadIdx.x != 0) return;
  unsigned long long sum = blockIdx.x + 1;
  if (blockIdx.x != 0) {
    const cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> before(words[blockIdx.x - 1]);
    unsigned long long found = 0;
    while (found == 0) found = before.load(cuda::memory_order_relaxed);
    sum += found;
  }
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(words[blockIdx.x])
      .store(sum, cuda::memory_order_relaxed);
}

template <bool fences>
__global__ void add_under_lock(int* words) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&words[0], 0, 1) != 0) {
  }
  if (fences) __threadfence();
  words[1] += 1;
  if (fences) __threadfence();
  atomicExch(&words[0], 0);
}

template <bool block_scope>
__global__ void count(int* words) {
  if (block_scope)
    atomicAdd_block(words, 1);
  else
    atomicAdd(words, 1);
}

__global__ void count_and_look(int* words) {
  if (blockIdx.x != 0)
    atomicAdd(words, 1);
  else if (threadIdx.x == 0)
    words[1] = words[0];
}

template <bool barrier>
__global__ void neighbours(int* words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = gridDim.x * blockDim.x;
  words[i] = static_cast<int>(i);
  if (barrier) cooperative_groups::this_grid().sync();
  const int next = words[(i + 1) % n];
  if (barrier) cooperative_groups::this_grid().sync();
  words[i] = next;
}

template <bool barrier>
__global__ void warps(int* words) {
  int* own = words + blockIdx.x * blockDim.x;
  own[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (barrier) __syncthreads();
  const int other = own[(threadIdx.x + 32) % blockDim.x];
  if (barrier) __syncthreads();
  own[threadIdx.x] = other;
}

/// Blocks take tiles in order, and write the words that they keep to the front of the array from which they read.
__global__ void compact_in_place(int* words, unsigned* counts) {
  const int own = words[blockIdx.x * blockDim.x + threadIdx.x];
  const bool keep = threadIdx.x % 2 == 0;
  __shared__ unsigned before;
  __syncthreads();
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x != 0) {
      const cuda::atomic_ref<unsigned, cuda::thread_scope_device> predecessor(counts[blockIdx.x - 1]);
      while (before == 0) before = predecessor.load(cuda::memory_order_relaxed);
    }
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(counts[blockIdx.x])
        .store(before + blockDim.x / 2, cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (keep) words[before + threadIdx.x / 2] = own;
}

__global__ void own_words(int* words) {
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += words[k];
  auto* out = reinterpret_cast<int2*>(words + 8);
  if (threadIdx.x == 0) out[blockIdx.x] = make_int2(sum, 1);
}

__global__ void overlapping(int* words, unsigned stride) {
  words[blockIdx.x * stride + threadIdx.x] = static_cast<int>(threadIdx.x);
}

constexpr unsigned block_size = 64;

}  // namespace

void launch_last_block(int* words, unsigned grid, fencing before, fencing after) {
  if (before == fencing::device && after == fencing::device)
    last_block<fencing::device, fencing::device><<<grid, block_size>>>(words);
  else if (before == fencing::device && after == fencing::none)
    last_block<fencing::device, fencing::none><<<grid, block_size>>>(words);
  else if (before == fencing::none && after == fencing::device)
    last_block<fencing::none, fencing::device><<<grid, block_size>>>(words);
  else if (before == fencing::block)
    last_block<fencing::block, fencing::device><<<grid, block_size>>>(words);
  else
    last_block<fencing::none, fencing::none><<<grid, block_size>>>(words);
}
void launch_last_block_volatile(int* words, unsigned grid, bool fence) {
  fence ? last_block_volatile<true><<<grid, block_size>>>(words)
        : last_block_volatile<false><<<grid, block_size>>>(words);
}
void launch_flag(int* words, fencing before, fencing after) {
  if (before == fencing::device && after == fencing::device)
    pass_by_flag<fencing::device, fencing::device><<<2, 32>>>(words);
  else if (before == fencing::device)
    pass_by_flag<fencing::device, fencing::none><<<2, 32>>>(words);
  else if (before == fencing::block)
    pass_by_flag<fencing::block, fencing::device><<<2, 32>>>(words);
  else
    pass_by_flag<fencing::none, fencing::device><<<2, 32>>>(words);
}
void launch_atomic_flag(int* words, atomic_flag how) {
  constexpr auto device = cuda::thread_scope_device;
  switch (how) {
    case atomic_flag::release_acquire:
      pass_by_atomic<device, true, true><<<2, 32>>>(words);
      break;
    case atomic_flag::relaxed_store:
      pass_by_atomic<device, false, true><<<2, 32>>>(words);
      break;
    case atomic_flag::relaxed_load:
      pass_by_atomic<device, true, false><<<2, 32>>>(words);
      break;
    case atomic_flag::block_scope:
      pass_by_atomic<cuda::thread_scope_block, true, true><<<2, 32>>>(words);
      break;
  }
}
void launch_look_back(unsigned long long* words, unsigned grid) {
  look_back<<<grid, 32>>>(words);
}
void launch_lock(int* words, unsigned grid, bool fences) {
  fences ? add_under_lock<true><<<grid, 32>>>(words) : add_under_lock<false><<<grid, 32>>>(words);
}
void launch_count(int* words, unsigned grid, bool block_scope) {
  block_scope ? count<true><<<grid, block_size>>>(words) : count<false><<<grid, block_size>>>(words);
}
void launch_count_and_look(int* words, unsigned grid) {
  count_and_look<<<grid, 32>>>(words);
}
cudaError_t launch_neighbours(int* words, unsigned grid, bool barrier) {
  void* arguments[] = {&words};
  const void* kernel =
      barrier ? reinterpret_cast<const void*>(neighbours<true>) : reinterpret_cast<const void*>(neighbours<false>);
  return cudaLaunchCooperativeKernel(kernel, dim3(grid), dim3(block_size), arguments, 0, nullptr);
}
void launch_warps(int* words, unsigned grid, bool barrier) {
  barrier ? warps<true><<<grid, block_size>>>(words) : warps<false><<<grid, block_size>>>(words);
}
void launch_compact_in_place(int* words, unsigned* counts, unsigned grid) {
  compact_in_place<<<grid, block_size>>>(words, counts);
}
void launch_own_words(int* words, unsigned grid) {
  own_words<<<grid, block_size>>>(words);
}
void launch_overlapping(int* words, unsigned grid, unsigned stride) {
  overlapping<<<grid, 32>>>(words, stride);
}

}  // namespace runtime_test
