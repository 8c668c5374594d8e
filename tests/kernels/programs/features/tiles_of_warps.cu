// covers: device library | tiles of 64 and 128 threads: reduce, scans, shfl, consecutive any and all, sync before
// says: tiles of 64: 0 of 448 wrong
// says: tiles of 128: 0 of 896 wrong

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum operation { sum, sum_up_to, sum_before, value_of_40, any_is_150, all_above_minus_60 };

constexpr int step_count = 7;

// Each pair has a shfl, because its result depends on what the previous operation leaves in the tile's memory.
__host__ __device__ operation operation_of(int step, int which) {
  constexpr operation pairs[step_count][2] = {{sum, value_of_40},
                                              {value_of_40, sum},
                                              {sum_up_to, value_of_40},
                                              {value_of_40, any_is_150},
                                              {sum_before, value_of_40},
                                              {value_of_40, value_of_40},
                                              {all_above_minus_60, value_of_40}};
  return pairs[step][which];
}

__host__ __device__ int input(int thread, int step) {
  return (thread * 37 + step * 101) % 211 - 60;
}

template <typename Tile>
__device__ int carry_out(const Tile& tile, operation what, int value) {
  switch (what) {
    case sum:
      return cg::reduce(tile, value, cg::plus<int>());
    case sum_up_to:
      return cg::inclusive_scan(tile, value, cg::plus<int>());
    case sum_before:
      return cg::exclusive_scan(tile, value, cg::plus<int>());
    case value_of_40:
      return tile.shfl(value, 40);
    case any_is_150:
      return tile.any(value == 150);
    default:
      return tile.all(value > -60);
  }
}

template <int Size>
__global__ void in_a_row(int* out) {
  __shared__ cg::block_tile_memory<Size> memory;
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block(memory));
  const int thread = static_cast<int>(threadIdx.x);
  for (int step = 0; step < step_count; ++step) {
    // The first lane of each warp waits here for the other warps. After that, all lanes of the warp continue together.
    tile.sync();
    const int before = carry_out(tile, operation_of(step, 0), input(thread, step));
    out[step * Size + thread] = 3 * before + carry_out(tile, operation_of(step, 1), input(thread, step + 1));
  }
}

int wanted(int size, int thread, operation what, int step) {
  int total = 0, below = 0, any = 0, all = 1;
  for (int t = 0; t < size; ++t) {
    const int value = input(t, step);
    total += value;
    below += t < thread ? value : 0;
    any |= value == 150;
    all &= value > -60;
  }
  const int results[] = {total, below + input(thread, step), below, input(40, step), any, all};
  return results[what];
}

template <int Size>
int check() {
  int* out;
  cudaMallocManaged(&out, step_count * Size * sizeof(int));
  in_a_row<Size><<<1, Size>>>(out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int step = 0; step < step_count; ++step) {
    for (int thread = 0; thread < Size; ++thread) {
      const int right =
          3 * wanted(Size, thread, operation_of(step, 0), step) + wanted(Size, thread, operation_of(step, 1), step + 1);
      wrong += !(out[step * Size + thread] == right);
    }
  }
  std::printf("tiles of %d: %d of %d wrong\n", Size, wrong, step_count * Size);
  cudaFree(out);
  return wrong;
}

int main() {
  return check<64>() + check<128>() == 0 ? 0 : 1;
}
