// covers: devices | four devices: peer access and its errors, copies between them, remote loads, stores and atomics
// gpus: 4
// link: 1 0 | load_bytes | 1152
// link: 1 0 | load_requests | 2
// link: 0 1 | store_bytes | 128
// link: 0 1 | atomic_bytes | 4
// link: 0 2 | copied_bytes | 128
// link: host 3 | copied_bytes | 128
// link: 3 host | copied_bytes | 128
// says: right
// The kernel's one warp loads 32 words of 4 bytes from device 1 and stores 32 words there, and one lane adds with an
// atomic. Three copies move 32 words each: from device 0 to 2, from the host to device 3, and from there back.

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ int tag;

__global__ void use_peer(int* own, int* peers) {
  int i = threadIdx.x;
  own[i] = peers[i] + 1;
  peers[32 + i] = own[i];
  if (i == 0) atomicAdd(&peers[64], 5);
}

// One bulk copy of 1024 bytes is one request.
__global__ void fetch_from_peer(int* own, const int* peers) {
  __shared__ alignas(128) int tile[256];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, peers, sizeof tile, &full);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
  }
  own[threadIdx.x] = tile[threadIdx.x];
}

__global__ void set(int* values) {
  int i = threadIdx.x;
  values[i] = 10 + i;
  if (i == 0) values[64] = tag;
}

int main() {
  int count = 0, can = 0, wrong = 0, now = -1;
  wrong += cudaGetDeviceCount(&count) != cudaSuccess || count != 4;
  wrong += cudaDeviceCanAccessPeer(&can, 0, 1) != cudaSuccess || can != 1;
  wrong += cudaDeviceCanAccessPeer(&can, 2, 2) != cudaSuccess || can != 0;
  int* at[4];
  for (int d = 0; d < 4; ++d) {
    cudaSetDevice(d);
    wrong += cudaGetDevice(&now) != cudaSuccess || now != d;
    cudaMalloc(&at[d], 65 * sizeof(int));
    cudaPointerAttributes is;
    wrong += cudaPointerGetAttributes(&is, at[d]) != cudaSuccess || is.device != d;
  }
  // Each device has its own variable, which is 0 at the beginning.
  cudaSetDevice(1);
  int seven = 7, read = -1;
  cudaMemcpyToSymbol(tag, &seven, sizeof seven);
  set<<<1, 32>>>(at[1]);
  wrong += cudaMemcpy(&read, at[1] + 64, sizeof read, cudaMemcpyDeviceToHost) != cudaSuccess || read != 7;
  cudaSetDevice(0);
  wrong += cudaMemcpyFromSymbol(&read, tag, sizeof read) != cudaSuccess || read != 0;

  wrong += cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess;
  wrong += cudaDeviceEnablePeerAccess(1, 0) != cudaErrorPeerAccessAlreadyEnabled;
  wrong += cudaGetLastError() != cudaErrorPeerAccessAlreadyEnabled;
  use_peer<<<1, 32>>>(at[0], at[1]);
  int *tile, *fetched, last = 0;
  cudaMalloc(&fetched, 1024);
  cudaSetDevice(1);
  cudaMalloc(&tile, 1024);
  cudaMemset(tile, 1, 1024);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  fetch_from_peer<<<1, 256>>>(fetched, tile);
  wrong += cudaMemcpy(&last, fetched + 255, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess || last != 0x01010101;
  wrong += cudaDeviceSynchronize() != cudaSuccess;
  wrong += cudaMemcpyPeer(at[2], 2, at[0], 0, 32 * sizeof(int)) != cudaSuccess;
  cudaSetDevice(2);
  int host[65];
  cudaMemcpy(host, at[2], 32 * sizeof(int), cudaMemcpyDefault);
  for (int i = 0; i < 32; ++i) wrong += host[i] != 11 + i;
  cudaMemcpy(&read, at[1] + 64, sizeof read, cudaMemcpyDefault);
  wrong += read != 12;
  cudaMemcpy(at[3], host, 128, cudaMemcpyHostToDevice);
  cudaMemcpy(host, at[3], 128, cudaMemcpyDeviceToHost);
  cudaSetDevice(0);
  wrong += cudaDeviceDisablePeerAccess(1) != cudaSuccess;
  size_t before = 0, after = 0, total = 0;
  cudaMemGetInfo(&before, &total);
  cudaFree(at[3]);
  cudaMemGetInfo(&after, &total);
  wrong += before != after;  // The memory belonged to a different device.
  std::puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
