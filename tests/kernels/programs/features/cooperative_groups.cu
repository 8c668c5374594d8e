// covers: device library | cooperative groups: tiles, reduce and scan over a tile, coalesced threads, the block

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void sum(const int* in, int n, int* total) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int own = 0;
  for (int i = blockIdx.x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size()) own += in[i];
  own = cg::reduce(warp, own, cg::plus<int>());
  __shared__ int partial[8];
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = own;
  block.sync();
  cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
  if (eight.meta_group_rank() == 0) {
    int all = cg::reduce(eight, partial[eight.thread_rank()], cg::plus<int>());
    if (eight.thread_rank() == 0) atomicAdd(total, all);
  }
}

__global__ void others(int* largest, int* prefix, int* odd_threads) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int own = (static_cast<int>(block.thread_rank()) * 37) % 64;
  int most = cg::reduce(tile, own, cg::greater<int>());
  if (tile.thread_rank() == 0) largest[tile.meta_group_rank()] = most;
  prefix[block.thread_rank()] = cg::inclusive_scan(tile, 1 + static_cast<int>(tile.thread_rank()));
  if (block.thread_rank() % 2 == 1) {
    cg::coalesced_group together = cg::coalesced_threads();
    if (together.thread_rank() == 0) atomicAdd(odd_threads, static_cast<int>(together.size()));
  }
}

int main() {
  const int n = 5000;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, 256 * sizeof(int));
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 17 - 5;
  out[0] = 0;
  sum<<<4, 256>>>(in, n, out);
  cudaDeviceSynchronize();
  if (out[0] != expected) {
    std::printf("sum %d, not %d\n", out[0], expected);
    return 1;
  }
  int *largest = out, *prefix = out + 16, *odd = out + 200;
  *odd = 0;
  others<<<1, 64>>>(largest, prefix, odd);
  cudaDeviceSynchronize();
  bool right = *odd == 32;
  for (int tile = 0; tile < 4; ++tile) {
    int most = 0;
    for (int lane = 0; lane < 16; ++lane) {
      int own = (16 * tile + lane) * 37 % 64;
      most = own > most ? own : most;
      right = right && prefix[16 * tile + lane] == (lane + 1) * (lane + 2) / 2;
    }
    right = right && largest[tile] == most;
  }
  cudaFree(in);
  cudaFree(out);
  return !right;
}
