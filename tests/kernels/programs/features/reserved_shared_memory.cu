// covers: device library | cooperative groups of several warps, in the reserved shared memory; built for a debugger
// with: -G
// says: sums of 64: right
// says: sums of 128: right
// says: handed on: right
// says: beside 48 KiB: right

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

template <int Size>
__global__ void sum_of_tiles(const int* in, int* out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  const int from_another_warp = tile.shfl(in[threadIdx.x], Size - 3);
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum + from_another_warp;
}

// Each half of the block reverses its own row. Only the tile's barrier separates the writes from the reads.
__global__ void turn_round(int* values) {
  __shared__ int row[256];
  auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  const int first = static_cast<int>(tile.meta_group_rank()) * 128, rank = static_cast<int>(tile.thread_rank());
  row[first + rank] = values[first + rank];
  tile.sync();
  values[first + rank] = row[first + 127 - rank];
}

// The kernel's own variables fill the shared memory, and none of that belongs to the system.
__global__ void full(int* values) {
  __shared__ int all[12288];
  for (int i = threadIdx.x; i < 12288; i += 256) all[i] = 5 * i - 3;
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int sum = cg::reduce(tile, values[threadIdx.x], cg::plus<int>());
  __syncthreads();
  int wrong = 0;
  for (int i = threadIdx.x; i < 12288; i += 256) wrong += all[i] != 5 * i - 3;
  values[threadIdx.x] = wrong == 0 ? sum : -1;
}

template <int Size>
bool sums_are_right(const int* in, int* out) {
  sum_of_tiles<Size><<<1, 256>>>(in, out);
  cudaDeviceSynchronize();
  bool right = true;
  for (int tile = 0; tile < 256 / Size; ++tile) {
    int wanted = in[tile * Size + Size - 3];
    for (int i = 0; i < Size; ++i) wanted += in[tile * Size + i];
    right = right && out[tile] == wanted;
  }
  return right;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&out, 256 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = i * i % 97 - 31;
  std::printf("sums of 64: %s\n", sums_are_right<64>(in, out) ? "right" : "wrong");
  std::printf("sums of 128: %s\n", sums_are_right<128>(in, out) ? "right" : "wrong");
  for (int i = 0; i < 256; ++i) out[i] = in[i];
  turn_round<<<1, 256>>>(out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 256; ++i) wrong += out[i] != in[i / 128 * 128 + 127 - i % 128];
  std::printf("handed on: %s\n", wrong == 0 ? "right" : "wrong");
  for (int i = 0; i < 256; ++i) out[i] = in[i];
  full<<<1, 256>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; ++i) {
    int sum = 0;
    for (int k = 0; k < 64; ++k) sum += in[i / 64 * 64 + k];
    wrong += out[i] != sum;
  }
  std::printf("beside 48 KiB: %s\n", wrong == 0 ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  return wrong;
}
