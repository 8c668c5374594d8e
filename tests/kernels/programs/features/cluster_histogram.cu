// covers: device library | clusters: a histogram whose bins are distributed over the blocks, with atomics
// status: 0

#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int bins = 1000, threads = 128;

// Each block holds a part of the bins and adds to the bins of its whole cluster.
__global__ void count(const unsigned* in, int n, int bins_per_block, unsigned* out) {
  extern __shared__ unsigned part[];
  const cg::cluster_group cluster = cg::this_cluster();
  for (int b = threadIdx.x; b < bins_per_block; b += blockDim.x) part[b] = 0;
  cluster.sync();  // no block adds before all blocks have cleared their parts
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = static_cast<int>(in[i] % bins);
    unsigned* const there = cluster.map_shared_rank(part, bin / bins_per_block);
    atomicAdd(there + bin % bins_per_block, 1u);
  }
  cluster.sync();  // no block reads its part, or leaves, before all blocks have added
  const int first = static_cast<int>(cluster.block_rank()) * bins_per_block;
  for (int b = threadIdx.x; b < bins_per_block; b += blockDim.x)
    if (first + b < bins) atomicAdd(&out[first + b], part[b]);
}

int main() {
  constexpr int n = 20011;
  std::vector<unsigned> in(n), wanted(bins, 0);
  for (int i = 0; i < n; ++i) in[i] = 2654435761u * static_cast<unsigned>(i) >> 7;
  for (const unsigned x : in) ++wanted[x % bins];
  unsigned *device_in, *device_out;
  cudaMalloc(&device_in, n * sizeof(unsigned));
  cudaMalloc(&device_out, bins * sizeof(unsigned));
  cudaMemcpy(device_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  if (cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess) return 1;
  for (const unsigned size : {1u, 2u, 4u, 8u, 16u}) {
    cudaMemset(device_out, 0, bins * sizeof(unsigned));
    const int bins_per_block = (bins + static_cast<int>(size) - 1) / static_cast<int>(size);
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = size;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(16);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(bins_per_block) * sizeof(unsigned);
    config.attrs = &cluster;
    config.numAttrs = 1;
    const unsigned* const source = device_in;
    if (cudaLaunchKernelEx(&config, count, source, n, bins_per_block, device_out) != cudaSuccess) return 1;
    std::vector<unsigned> got(bins);
    if (cudaMemcpy(got.data(), device_out, bins * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int b = 0; b < bins; ++b)
      if (got[b] != wanted[b])
        return std::printf("clusters of %u: bin %d has %u and not %u\n", size, b, got[b], wanted[b]), 1;
    std::printf("clusters of %u: all %d bins are right\n", size, bins);
  }
  cudaFree(device_in);
  cudaFree(device_out);
  return 0;
}
