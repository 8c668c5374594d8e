// The other file of separate_compilation.cu.
#include "linked.hpp"

#include <cstdio>

__device__ int counter = 100;
__constant__ float scale = 7;

static __device__ int hidden = 70;
static __device__ __noinline__ int plus_hidden(int x) {
  return x + hidden;
}

static __device__ int negate(int x) {
  return -x;
}
__device__ operation operations[2] = {twice, negate};

__device__ int twice(int x) {
  return 2 * x;
}
__device__ int apply(operation f, int x) {
  return f(x);
}
__device__ int plus_other_hidden(int x) {
  return plus_hidden(x);
}
__device__ int sum_of_dynamic(int tid) {
  extern __shared__ int dynamic[];
  return dynamic[tid];
}
__device__ void say() {
  std::printf("of the other file: block %d\n", blockIdx.x);
}

__global__ void add_table(int* out) {
  *out = table[0] + table[1] + larger(4, 2);
}

void launch_in_other_file(int* out) {
  add_table<<<1, 1>>>(out);
}
