// covers: device library | clusters: blocks that read and update each other's sums; ranks and special registers
// status: 0

#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 96;

// The blocks of a cluster store their sums in their own shared memory, and the block of rank 0 adds them up.
__global__ void __cluster_dims__(2, 3, 1) reduce(const int* in, int n, long long* out) {
  __shared__ long long sums[threads / 32];
  __shared__ long long sum_of_block;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned block = blockIdx.x + gridDim.x * blockIdx.y, blocks = gridDim.x * gridDim.y;
  long long sum = 0;
  for (unsigned i = block * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += blocks * blockDim.x)
    sum += in[i];
  for (int stride = 16; stride > 0; stride /= 2) sum += __shfl_down_sync(0xffffffffu, sum, stride);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) sum_of_block = sums[0] + sums[1] + sums[2];
  cluster.sync();  // the sums of all blocks are complete
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    long long all = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) all += *cluster.map_shared_rank(&sum_of_block, rank);
    out[blockIdx.x / 2 + gridDim.x / 2 * (blockIdx.y / 3)] = all;
  }
  cluster.sync();  // no block leaves while its sum is read
}

// The same, but each block adds its sum to rank 0's with an atomic. The barrier is split into arrival and wait.
__global__ void __cluster_dims__(4) push(const int* in, int n, int* out) {
  __shared__ int total;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) total = 0;
  auto token = cluster.barrier_arrive();
  int sum = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    sum += in[i];
  cluster.barrier_wait(std::move(token));
  atomicAdd(cluster.map_shared_rank(&total, 0), sum);
  cluster.sync();
  if (cluster.thread_rank() == 0) atomicAdd(out, total);
}

__device__ unsigned special(int k) {
  unsigned v = 0;
  switch (k) {
    case 0:
      asm("mov.u32 %0, %%clusterid.x;" : "=r"(v));
      break;
    case 1:
      asm("mov.u32 %0, %%clusterid.y;" : "=r"(v));
      break;
    case 2:
      asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v));
      break;
    case 3:
      asm("mov.u32 %0, %%nclusterid.y;" : "=r"(v));
      break;
    case 4:
      asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v));
      break;
    case 5:
      asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v));
      break;
    case 6:
      asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v));
      break;
    case 7:
      asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v));
      break;
    case 8:
      asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v));
      break;
    case 9:
      asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v));
      break;
    case 10:
      asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(v));
      break;
  }
  return v;
}

constexpr int registers = 15;

// Stores the position of each block, and the block to whose shared memory an address belongs.
__global__ void where(unsigned* out) {
  __shared__ unsigned word;
  const cg::cluster_group cluster = cg::this_cluster();
  word = 100 + cluster.block_rank();
  cluster.sync();
  unsigned* const mine = out + (blockIdx.x + gridDim.x * blockIdx.y) * registers;
  for (int k = 0; k < 11; ++k) mine[k] = special(k);
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  unsigned* const there = cluster.map_shared_rank(&word, next);
  mine[11] = *there;
  mine[12] = cluster.query_shared_rank(there);
  mine[13] = cluster.query_shared_rank(&word);
  unsigned own = 0, of_cluster = 0;
  asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(own) : "l"(there));
  asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(of_cluster) : "l"(there));
  mine[14] = own * 2 + of_cluster;
  cluster.sync();
}

int check_places(unsigned* device, bool clusters) {
  constexpr unsigned width = 4, height = 6;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 3;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(width, height);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = clusters ? 1 : 0;
  if (cudaLaunchKernelEx(&config, where, device) != cudaSuccess) return 1;
  std::vector<unsigned> got(width * height * registers);
  if (cudaMemcpy(got.data(), device, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  const unsigned x_of = clusters ? 2 : 1, y_of = clusters ? 3 : 1;
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      const unsigned rank = x % x_of + x_of * (y % y_of), next = (rank + 1) % (x_of * y_of);
      const unsigned wanted[registers] = {
          x / x_of,           y / y_of,   width / x_of, height / y_of, x % x_of,
          y % y_of,           x_of,       y_of,         rank,          x_of * y_of,
          clusters ? 1u : 0u, 100 + next, next,         rank,          next == rank ? 3u : 1u};
      for (int k = 0; k < registers; ++k) {
        const unsigned had = got[(x + width * y) * registers + static_cast<unsigned>(k)];
        if (had != wanted[k])
          return std::printf("block (%u, %u): value %d is %u and not %u\n", x, y, k, had, wanted[k]), 1;
      }
    }
  }
  return 0;
}

int main() {
  constexpr int n = 10007;
  std::vector<int> in(n);
  long long wanted = 0;
  for (int i = 0; i < n; ++i) wanted += in[i] = i % 1000 - 100;
  int *device_in, *total;
  long long* device_out;
  unsigned* places;
  cudaMalloc(&device_in, n * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMalloc(&device_out, 4 * sizeof(long long));
  cudaMalloc(&places, 24 * registers * sizeof(unsigned));
  cudaMemcpy(device_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  reduce<<<dim3(4, 6), threads>>>(device_in, n, device_out);
  long long sums[4], all = 0;
  if (cudaMemcpy(sums, device_out, sizeof sums, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (const long long sum : sums) all += sum;
  std::printf("four clusters of 2 x 3 blocks: %lld, wanted %lld\n", all, wanted);
  cudaMemset(total, 0, sizeof(int));
  push<<<8, threads>>>(device_in, n, total);
  int pushed = 0;
  if (cudaMemcpy(&pushed, total, sizeof pushed, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("two clusters of 4 blocks: %d, wanted %lld\n", pushed, wanted);
  const bool wrong = check_places(places, true) != 0 || check_places(places, false) != 0;
  if (!wrong) std::printf("every block is where it should be\n");
  cudaFree(device_in);
  cudaFree(total);
  cudaFree(device_out);
  cudaFree(places);
  return wrong || all != wanted || pushed != wanted ? 1 : 0;
}
