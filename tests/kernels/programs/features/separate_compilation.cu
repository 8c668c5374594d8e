// covers: functions | separate compilation (-rdc=true): functions, variables, pointers and names across files
// with: parts/linked.cu -rdc=true
// says: of this file: block 0
// says: of the other file: block 0
// says: right
// count: call_across | barriers | 1

#include <cstdio>

#include "parts/linked.hpp"

// The other file has a different variable of the same name, and a different function.
static __device__ int hidden = 3;
static __device__ __noinline__ int plus_hidden(int x) {
  return x + hidden;
}
__device__ int table[2] = {40, 50};

__global__ void call_across(int* out) {
  __shared__ int tile[32];
  const int tid = threadIdx.x;
  // This is the block's dynamic shared memory, for which the other file declares an array, too.
  extern __shared__ int dynamic[];
  dynamic[tid] = tid;
  tile[tid] = twice(tid);
  __syncthreads();
  const operation chosen = tid % 2 == 0 ? twice : operations[1];
  out[tid] = tile[31 - tid] + apply(chosen, tid) + plus_hidden(1) + plus_other_hidden(1) + larger(tid, 5) +
             sum_of_dynamic(tid);
  if (tid == 0) {
    std::printf("of this file: block %d\n", blockIdx.x);
    say();
    counter += static_cast<int>(scale);
  }
}

int main() {
  int *device, out[32], count, from_table;
  cudaMalloc(&device, sizeof out);
  call_across<<<1, 32, 32 * sizeof(int)>>>(device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  launch_in_other_file(device);
  cudaMemcpy(&from_table, device, sizeof from_table, cudaMemcpyDeviceToHost);
  bool right = count == 100 + 7 && from_table == 40 + 50 + 4;
  for (int tid = 0; tid < 32; ++tid) {
    const int applied = tid % 2 == 0 ? 2 * tid : -tid;
    const int larger = tid > 5 ? tid : 5;
    right = right && out[tid] == 2 * (31 - tid) + applied + (1 + 3) + (1 + 70) + larger + tid;
  }
  std::printf("%s\n", right ? "right" : "wrong");
  return !right;
}
