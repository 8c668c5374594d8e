// Code that the parser meets in practice: CUB, cooperative groups, calls, local arrays, inline PTX, printf, assert.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cassert>
#include <cstdio>
#include <cub/block/block_reduce.cuh>

namespace cg = cooperative_groups;

struct triple {
  int a;
  double b;
  char c[5];
};

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int* where = &counter;

__device__ __noinline__ float scaled(float x, int* p) {
  return x * static_cast<float>(*p);
}
__device__ __noinline__ int up(int x) {
  return x + 1;
}
__device__ __noinline__ int down(int x) {
  return x - 1;
}

template <class T>
__global__ void block_sum(const T* in, T* partials) {
  using reduce = cub::BlockReduce<T, 128>;
  __shared__ typename reduce::TempStorage storage;
  const T sum = reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *partials = sum;
}
template __global__ void block_sum<int>(const int*, int*);
template __global__ void block_sum<double>(const double*, double*);

__global__ void __launch_bounds__(256, 2) grid_sum(const int* in, int* out, int n) {
  auto grid = cg::this_grid();
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = 0;
  for (auto i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
  sum = cg::reduce(tile, sum, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
  grid.sync();
  if (grid.thread_rank() == 0) out[1] = out[0];
}

__global__ void mixture(triple t, float* out, int n) {
  float private_array[40];
  for (int i = 0; i < 40; ++i) private_array[i] = static_cast<float>(i * t.b);
  const int x = threadIdx.x;
  out[x] = scaled(private_array[(x * 7) % 40], where) + weights[x & 3] + counter;
  if (x == 3) printf("%d %f\n", x, out[x]);
  assert(n > 0);
  int (*step)(int) = n > 5 ? up : down;
  n = step(n);
  unsigned mask;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, -1; }" : "=r"(mask) : "r"(n));
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 9; @p mov.u32 %0, 0; }" : "+r"(mask) : "r"(n));
  switch (n) {
    case 0:
      out[0] = 1;
      break;
    case 1:
      out[1] = sinf(out[2]);
      break;
    case 2:
      out[5] = 3;
      break;
    case 3:
      out[9] = expf(out[1]);
      break;
    case 4:
      out[7] = static_cast<float>(mask);
      break;
  }
}
