// covers: classics | scan in a block, by Hillis and Steele and by Blelloch
//
// Hillis and Steele, 256 elements: one barrier after the load and one after each of the log2(256) = 8 steps.
// Neighbouring lanes access neighbouring words.
// count: scan_hillis_steele | barriers | 9
// count: scan_hillis_steele | shared bank conflicts | 0
//
// Blelloch, 512 elements with 256 threads: a barrier before each of the 9 steps up and each of the 9 steps down, and
// one before the result is written.
// count: scan_blelloch | barriers | 19
//
// In a step of d threads neighbouring lanes are 512 / d words apart. If a warp has a active lanes at a stride of s
// words (a power of two, at most 32), its busiest bank gets min(a, s) accesses, with s = 512 / d and a = min(d, 32):
//   d                      256  128   64   32   16    8    4    2    1
//   warps                    8    4    2    1    1    1    1    1    1
//   lanes in one bank        2    4    8   16   16    8    4    2    1
//   more passes an access    8   12   14   15   15    7    3    1    0    in total 75
// A step up has two loads and a store. A step down has three loads and two stores, because the compiler cannot know
// that ai and bi are never the same, and reads temp[bi] again after temp[ai] was written. 75 * (3 + 5) = 600. The input
// and the result are copied through the tile as pairs, 8 bytes a lane, without conflicts.
// count: scan_blelloch | shared bank conflicts | 600

#include <cstdio>
#include <vector>

__global__ void scan_hillis_steele(const int* in, int* out, int n) {
  extern __shared__ int temp[];  // two buffers of n
  int tid = threadIdx.x;
  int write = 0, read = 1;
  temp[tid] = in[tid];
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    write = 1 - write;
    read = 1 - write;
    int value = temp[read * n + tid];
    if (tid >= offset) value += temp[read * n + tid - offset];
    temp[write * n + tid] = value;
    __syncthreads();
  }
  out[tid] = temp[write * n + tid];
}

__global__ void scan_blelloch(const int* in, int* out, int n) {
  extern __shared__ int temp[];
  int tid = threadIdx.x;
  int offset = 1;
  temp[2 * tid] = in[2 * tid];
  temp[2 * tid + 1] = in[2 * tid + 1];
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (tid == 0) temp[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      int t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  out[2 * tid] = temp[2 * tid];
  out[2 * tid + 1] = temp[2 * tid + 1];
}

int main() {
  const int n = 512;
  std::vector<int> in(n), inclusive(n), exclusive(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 7 + 3) % 11 - 5;
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);

  scan_hillis_steele<<<1, n / 2, n * sizeof(int)>>>(d_in, d_out, n / 2);
  cudaMemcpy(inclusive.data(), d_out, n / 2 * sizeof(int), cudaMemcpyDeviceToHost);
  scan_blelloch<<<1, n / 2, n * sizeof(int)>>>(d_in, d_out, n);
  cudaMemcpy(exclusive.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);

  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (exclusive[i] != sum) {
      std::printf("exclusive[%d] is %d, not %d\n", i, exclusive[i], sum);
      return 1;
    }
    sum += in[i];
    if (i < n / 2 && inclusive[i] != sum) {
      std::printf("inclusive[%d] is %d, not %d\n", i, inclusive[i], sum);
      return 1;
    }
  }
  return 0;
}
