// covers: device library | %globaltimer: grids wait for 1 ms and 10 s, __nanosleep with backoff, a kernel's own time

#include <cooperative_groups.h>

#include <cstdint>
#include <cstdio>

__device__ std::uint64_t now() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// All blocks of a cooperative grid wait, meet at the grid's barrier, and only then measure the time.
__global__ void sleeps_together(std::uint64_t* took, std::uint64_t ns) {
  const std::uint64_t begin = now();
  while (now() - begin < ns) {
  }
  cooperative_groups::this_grid().sync();
  took[blockIdx.x * blockDim.x + threadIdx.x] = now() - begin;
}

__global__ void sleeps(std::uint64_t* took, std::uint64_t ns) {
  const std::uint64_t begin = now();
  while (now() - begin < ns) {
  }
  took[blockIdx.x * blockDim.x + threadIdx.x] = now() - begin;
}

// The first block sleeps for longer and longer times until the last one has set the flag.
__global__ void backs_off(int* flag, int* value, std::uint64_t* result) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == gridDim.x - 1) {
    *value = 42;
    __threadfence();
    atomicExch(flag, 1);
  }
  if (blockIdx.x != 0) return;
  unsigned ns = 8;
  while (atomicAdd(flag, 0) == 0) {
    __nanosleep(ns);
    if (ns < 256) ns *= 2;
  }
  __threadfence();
  *result = *value;
}

// Computes a sum and stores how long that took.
__global__ void measures(std::uint64_t* took, std::uint64_t* sum, int turns) {
  const std::uint64_t begin = now();
  std::uint64_t s = 0;
  for (int i = 0; i < turns; ++i) s += i * static_cast<std::uint64_t>(*static_cast<volatile int*>(&turns));
  *sum = s;
  *took = now() - begin;
}

int main() {
  std::uint64_t* result;
  int* words;
  cudaMallocManaged(&result, 512 * sizeof(std::uint64_t));
  cudaMallocManaged(&words, 2 * sizeof(int));
  for (std::uint64_t ns : {1'000'000ull, 10'000'000'000ull}) {
    for (const bool together : {false, true}) {
      void* arguments[] = {&result, &ns};
      for (int i = 0; i < 512; ++i) result[i] = 0;
      if (together)
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sleeps_together), 4, 128, arguments, 0, nullptr);
      else
        sleeps<<<4, 128>>>(result, ns);
      if (cudaDeviceSynchronize() != cudaSuccess) return 1;
      for (int i = 0; i < 512; ++i) {
        if (result[i] < ns) return std::printf("%d: %llu\n", i, static_cast<unsigned long long>(result[i])), 2;
      }
    }
  }
  words[0] = words[1] = 0;
  backs_off<<<32, 64>>>(words, words + 1, result);
  if (cudaDeviceSynchronize() != cudaSuccess || result[0] != 42) return 3;
  measures<<<1, 1>>>(result, result + 1, 1000);
  if (cudaDeviceSynchronize() != cudaSuccess || result[0] == 0 || result[1] != 499'500'000) return 4;
  return 0;
}
