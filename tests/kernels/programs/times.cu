// Prints the %globaltimer values that kernels read if no block waits, if all wait, if every third waits, and once more.

#include <cstdint>
#include <cstdio>

__device__ std::uint64_t now() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void reads(std::uint64_t* times, unsigned every, std::uint64_t ns) {
  const std::uint64_t begin = now();
  if (blockIdx.x % every == 0) {
    while (now() - begin < ns) {
    }
  }
  std::uint64_t* mine = times + 2 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  mine[0] = begin;
  mine[1] = now();
}

int main() {
  constexpr unsigned grid = 64, block = 32;
  std::uint64_t* times;
  cudaMallocManaged(&times, 2 * grid * block * sizeof(std::uint64_t));
  const struct {
    unsigned every;
    std::uint64_t ns;
  } waits[] = {{1, 0}, {1, 5'000'000}, {3, 5'000'000'000}, {1, 0}};
  for (const auto& wait : waits) {
    reads<<<grid, block>>>(times, wait.every, wait.ns);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (unsigned k = 0; k < 2 * grid * block; ++k) std::printf("%llu ", static_cast<unsigned long long>(times[k]));
    std::printf("\n");
  }
  return 0;
}
