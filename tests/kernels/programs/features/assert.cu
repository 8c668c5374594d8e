// covers: device library | assert in kernels: a failed assertion is a finding with its line
// status: 1
// finding: Assertion `values[threadIdx.x] != 3' failed

#include <cassert>

__global__ void check(const int* values) {
  assert(values[threadIdx.x] != 3);
}

int main() {
  int* values;
  cudaMallocManaged(&values, 8 * sizeof(int));
  for (int i = 0; i < 8; ++i) values[i] = i;
  check<<<1, 8>>>(values);
  return cudaDeviceSynchronize() == cudaErrorAssert;
}
