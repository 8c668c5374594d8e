// covers: device library | clusters: races without a barrier of the cluster, naming both blocks; uninitialised words
// status: 86
// finding: 0 of block 0 reads tile[0] of block 1 in cluster_races.cu:30 without waiting for thread 0 of block 1, which
// finding: reads tile[0] of block 1 in cluster_races.cu:40 without waiting for thread 0 of block 1, which writes it
// finding: Thread 0 of block 0 and thread 0 of block 1 both write total of block 0, in cluster_races.cu:52
// finding: uses bins[0] of block 1 in cluster_races.cu:63, and nothing says that block 1 has begun
// finding: reads tile[0] of block 1 in cluster_races.cu:77 without waiting for thread 0 of block 1, which writes it
// finding: uses tile[0] of block 0 in cluster_races.cu:89, and block 0 does not wait for that before it exits
// finding: reads tile[16] of block 1 in cluster_races.cu:99, but no thread of the cluster has written it
// finding: Thread 0 reads tile[0] of block 0 in cluster_races.cu:30, but no thread of the cluster has written it
// finding: Thread 0 of block 0 reads box[0] of block 0 in cluster_races.cu:138 without waiting for thread 0 of block 1
// finding: Block 1 reads out[0] in cluster_races.cu:149, which block 0 writes in line 147, and nothing orders the two
// finding: reads data[0] of block 1 in cluster_races.cu:115 without waiting for thread 0 of block 1, which writes it

#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

constexpr int threads = 32;

// Only a barrier of the block is between a write and another block's read.
__global__ void __cluster_dims__(2) block_barrier(int* out) {
  __shared__ int tile[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const unsigned other = cluster.block_rank() ^ 1;
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[blockIdx.x * threads + threadIdx.x] = cluster.map_shared_rank(tile, other)[threadIdx.x];
  cluster.sync();
}

// The values of the next round overwrite values that the other block still reads.
__global__ void __cluster_dims__(2) next_round(int* out) {
  __shared__ int tile[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  cluster.sync();
  const int got = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = got + 1;
  cluster.sync();
  out[blockIdx.x * threads + threadIdx.x] = tile[threadIdx.x];
}

// All blocks write one word.
__global__ void __cluster_dims__(2) one_word(int* out) {
  __shared__ int total;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  if (threadIdx.x == 0) *cluster.map_shared_rank(&total, 0) = static_cast<int>(cluster.block_rank());
  cluster.sync();
  if (cluster.thread_rank() == 0) *out = total;
}

// No barrier ensures that the other block has begun.
__global__ void __cluster_dims__(2) too_soon(int* out) {
  __shared__ int bins[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned other = cluster.block_rank() ^ 1;
  // The word belongs to the other block.
  cluster.map_shared_rank(bins, other)[threadIdx.x] = 1;
  cluster.sync();
  out[blockIdx.x * threads + threadIdx.x] = bins[threadIdx.x];
}

// A relaxed arrival orders no memory accesses.
__global__ void __cluster_dims__(2) relaxed(int* out) {
  __shared__ int tile[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  // This write comes before the arrival.
  tile[threadIdx.x] = 1;
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
  out[blockIdx.x * threads + threadIdx.x] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
}

// Block 0 leaves while block 1 may still read.
__global__ void __cluster_dims__(2) leaves(int* out) {
  __shared__ int tile[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = 1;
  cluster.sync();
  // With this delay, the other block happens to read first.
  if (cluster.block_rank() == 0) __nanosleep(100);
  if (cluster.block_rank() == 1) out[threadIdx.x] = cluster.map_shared_rank(tile, 0)[threadIdx.x];
}

// Half of the tile is never written.
__global__ void __cluster_dims__(2) half_written(int* out) {
  __shared__ int tile[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 16) tile[threadIdx.x] = 1;
  cluster.sync();
  // Reads the whole tile of the other block.
  out[blockIdx.x * threads + threadIdx.x] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
}

// An arrival and its wait do not order a write between them.
__global__ void __cluster_dims__(2) between(int* out) {
  __shared__ int data[threads];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  auto token = cluster.barrier_arrive();
  data[threadIdx.x] = 7;
  cluster.barrier_wait(std::move(token));
  // This block has passed the barrier.
  if (data[threadIdx.x] != 7) return;
  out[blockIdx.x * threads + threadIdx.x] =

      cluster.map_shared_rank(data, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
}

// A relaxed arrival on another block's mbarrier does not order any accesses.
__global__ void __cluster_dims__(2) relaxed_hand_over(int* out) {
  __shared__ int box[threads];
  __shared__ unsigned long long there;
  const cg::cluster_group cluster = cg::this_cluster();
  const auto object = static_cast<unsigned>(__cvta_generic_to_shared(cluster.map_shared_rank(&there, 0)));
  if (cluster.thread_rank() == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(object) : "memory");
  cluster.sync();
  if (cluster.block_rank() == 1) {
    cluster.map_shared_rank(box, 0)[threadIdx.x] = 1;
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(object) : "memory");
  } else {
    for (unsigned over = 0; over == 0;)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;"
          " selp.u32 %0, 1, 0, p; }"
          : "=r"(over)
          : "r"(object)
          : "memory");
    out[threadIdx.x] = box[threadIdx.x];
  }
  cluster.sync();
}

// The barrier of one block orders nothing in global memory for the other block.
__global__ void __cluster_dims__(2) through_global(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  if (cluster.block_rank() == 0) out[threadIdx.x] = 1;
  __syncthreads();
  if (cluster.block_rank() == 1) out[threadIdx.x + threads] = out[threadIdx.x];
}

int main() {
  int* out;
  cudaMallocManaged(&out, 2 * threads * sizeof(int) + 256);
  block_barrier<<<2, threads>>>(out);
  next_round<<<2, threads>>>(out);
  one_word<<<2, threads>>>(out);
  too_soon<<<2, threads>>>(out);
  relaxed<<<2, threads>>>(out);
  leaves<<<2, threads>>>(out);
  half_written<<<2, threads>>>(out);
  between<<<2, threads>>>(out);
  relaxed_hand_over<<<2, threads>>>(out);
  through_global<<<2, threads>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  return 0;
}
