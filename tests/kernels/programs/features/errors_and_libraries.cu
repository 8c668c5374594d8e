// covers: host | errors that libraries handle themselves, and launches whose errors a program never checks
// status: 86
// finding: the block's x dimension is 1025
// finding: cudaMalloc failed (cudaErrorMemoryAllocation)
// says: handled

#include <thrust/device_vector.h>
#include <thrust/reduce.h>

#include <cstdio>
#include <cub/cub.cuh>

__global__ void fill(int* values) {
  values[0] = 1;
}

int main() {
  int *values, *sum;
  cudaMallocManaged(&values, 64);
  cudaMallocManaged(&sum, 4);
  for (int i = 0; i < 16; ++i) values[i] = i;

  // CUB queries the last error, but that doesn't count as a check by the program.
  fill<<<1, 1025>>>(values);
  size_t size = 0;
  cub::DeviceReduce::Sum(nullptr, size, values, sum, 16);
  void* scratch = nullptr;
  cudaMalloc(&scratch, size);
  cub::DeviceReduce::Sum(scratch, size, values, sum, 16);

  // Thrust reports its own failed allocation by an exception. The program's own failed allocation is a finding.
  try {
    thrust::device_vector<int> large(size_t{1} << 50);
    return 1;
  } catch (const std::bad_alloc&) {
    std::printf("handled\n");
  }
  void* large = nullptr;
  cudaMalloc(&large, size_t{1} << 50);
  return 0;
}
