// Launches that are refused and calls that fail, in a program that ends with status 0 anyway. If a line causes a
// finding, the text after it must be part of the finding. The other lines cause no findings.
#include <cooperative_groups.h>

#include <cstdio>

__constant__ int table[16];

__global__ void fill(int* values) {
  if (threadIdx.x == 0) values[0] = 1;
}

__global__ void share(int* values) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = 1;
  if (threadIdx.x == 0) values[0] = tile[0];
}

__global__ void meet() {
  cooperative_groups::this_grid().sync();
}

template <typename Element>
struct buffer {
  Element* data = nullptr;
  explicit buffer(size_t count) {
    cudaMalloc(&data, count * sizeof(Element));  // finding: cudaMalloc failed (cudaErrorMemoryAllocation)
  }
  ~buffer() { cudaFree(data); }
};

void launch(int* values, dim3 grid, dim3 block) {
  fill<<<grid, block>>>(values);  // finding: the limit is 1024
}

int main() {
  const buffer<int> values(1024), too_large(size_t{1} << 50);
  int* const data = values.data;
  launch(data, 1, 128);
  fill<<<1, 2000>>>(data);
  if (cudaGetLastError() == cudaSuccess) return 1;  // the program checks the error, so it is no finding
  launch(data, 1, 1025);
  for (int round = 0; round < 3; ++round) fill<<<1, 0>>>(data);  // finding: the block's x dimension is 0
  fill<<<0, 32>>>(data);                                         // finding: the grid's x dimension is 0
  fill<<<1, dim3(33, 32)>>>(data);                               // finding: 1056 threads is too large
  fill<<<1, dim3(1, 1, 65)>>>(data);                             // finding: the block's z dimension is 65
  fill<<<dim3(1, 65536), 32>>>(data);                            // finding: the grid's y dimension is 65536
  share<<<1, 32, 100000>>>(data);                                // finding: cudaFuncAttributeMaxDynamicSharedMemorySize
  cudaLaunchCooperativeKernel(meet, 1000000, 1024, nullptr);     // finding: of them fit on the device at once

  int host[2048] = {};
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);  // finding: 8192 bytes do not fit the source
  cudaMemcpyToSymbol(table, host, 68);                          // finding: 68 bytes at byte 0 do not fit
  cudaMemcpy(data, host, 4, cudaMemcpyDeviceToHost);            // finding: the destination is device memory
  cudaMemset(host, 0, 4);                                       // finding: cudaMemset failed
  cudaFuncSetAttribute(share,                                   // finding: 1048576 bytes of dynamic shared memory
                       cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
  static cudaEvent_t event;
  cudaEventRecord(event);  // finding: cudaEventRecord failed (cudaErrorInvalidResourceHandle)
  return 0;
}
