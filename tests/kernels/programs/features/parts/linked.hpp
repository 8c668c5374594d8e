#pragma once
// Declarations shared by separate_compilation.cu and linked.cu.

using operation = int (*)(int);

extern __device__ int counter;
extern __constant__ float scale;
extern __device__ operation operations[2];
extern __device__ int table[2];

__device__ int twice(int x);
__device__ int apply(operation f, int x);
__device__ int plus_other_hidden(int x);
__device__ int sum_of_dynamic(int tid);
__device__ void say();
void launch_in_other_file(int* out);

// Both files instantiate this function.
template <typename T>
__device__ __noinline__ T larger(T a, T b) {
  return a > b ? a : b;
}
