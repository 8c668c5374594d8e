// covers: device library | waits and sums that are ended by the clock: not a deadlock, however long they take

#include <cstdint>
#include <cstdio>

__device__ std::uint64_t now() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// Waits for an hour of the device's clock. The emulator lets it pass immediately, because only the clock changes.
__global__ void sleeps(std::uint64_t* took, std::uint64_t ns) {
  const std::uint64_t begin = now();
  while (now() - begin < ns) {
  }
  took[blockIdx.x * blockDim.x + threadIdx.x] = now() - begin;
}

__global__ void sleeps_by_cycles(std::uint64_t* took, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  took[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<std::uint64_t>(clock64() - begin);
}

// The first block waits for a flag, and gives up after a second. If `sets` is true, the last block sets the flag.
__global__ void gives_up(volatile int* flag, std::uint64_t* result, bool sets) {
  if (blockIdx.x == gridDim.x - 1 && sets && threadIdx.x == 0) *flag = 1;
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const std::uint64_t begin = now();
  bool seen = false;
  while (!seen && now() - begin < 1'000'000'000) seen = *flag != 0;
  *result = seen;
}

// Counts its iterations until the time is over, so no two iterations are the same.
__global__ void counts(std::uint64_t* result, long long cycles) {
  const long long begin = clock64();
  std::uint64_t turns = 0, mixed = 1;
  while (clock64() - begin < cycles) {
    ++turns;
    mixed = mixed * 6364136223846793005u + turns;
  }
  result[threadIdx.x] = turns > 1000 && mixed != 0;
}

int main() {
  std::uint64_t* result;
  int* flag;
  cudaMallocManaged(&result, 512 * sizeof(std::uint64_t));
  cudaMallocManaged(&flag, sizeof(int));
  const auto all_at_least = [&](int n, std::uint64_t least) {
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    for (int i = 0; i < n; ++i) {
      if (result[i] < least) return std::printf("%d: %llu\n", i, static_cast<unsigned long long>(result[i])), false;
    }
    return true;
  };
  const std::uint64_t hour = 3'600'000'000'000;
  sleeps<<<4, 128>>>(result, hour);
  if (!all_at_least(512, hour)) return 1;
  sleeps_by_cycles<<<4, 128>>>(result, 20'000'000'000);
  if (!all_at_least(512, 20'000'000'000)) return 2;
  for (const bool sets : {false, true}) {
    *flag = 0;
    result[0] = 7;
    gives_up<<<32, 64>>>(flag, result, sets);
    if (cudaDeviceSynchronize() != cudaSuccess || result[0] != (sets ? 1u : 0u)) return 3;
  }
  counts<<<1, 32>>>(result, 10'000'000);
  if (!all_at_least(32, 1)) return 4;
  return 0;
}
