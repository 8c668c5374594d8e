// covers: functions | structures that are copied with their padding; only the members that are used are checked
// status: 86
// finding: Thread 31 reads from[128] in struct_padding.cu:33, which is uninitialised
// finding: Thread 0 reads from[0] in struct_padding.cu:40, which is uninitialised

#include <cstdio>

struct tagged {
  char tag;  // seven bytes of padding follow
  double value;
};

__global__ void make(tagged* out) {
  out[threadIdx.x].tag = 'x';
  out[threadIdx.x].value = threadIdx.x;
}

__global__ void copy(const tagged* from, tagged* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

__global__ void reverse(const tagged* from, tagged* to) {
  __shared__ tagged tile[32];
  tile[threadIdx.x].tag = from[threadIdx.x].tag;
  tile[threadIdx.x].value = from[threadIdx.x].value;
  __syncthreads();
  const tagged mine = tile[31 - threadIdx.x];
  to[threadIdx.x] = mine;
}

// The last thread copies a structure that has never been written.
__global__ void copy_next(const tagged* from, tagged* to) {
  to[threadIdx.x] = from[threadIdx.x + 1];
}

// The padding is used in a result.
__global__ void use_padding(const tagged* from, unsigned long long* sum) {
  const auto* words = reinterpret_cast<const unsigned long long*>(from);
  unsigned long long total = 0;
  for (int k = 0; k < 2; ++k) total += words[2 * threadIdx.x + k];
  sum[threadIdx.x] = total;
}

int main() {
  tagged *from, *to;
  unsigned long long* sum;
  cudaMalloc(&from, 64 * sizeof(tagged));
  cudaMalloc(&to, 32 * sizeof(tagged));
  cudaMalloc(&sum, 32 * sizeof *sum);
  make<<<1, 32>>>(from);
  copy<<<1, 32>>>(from, to);
  reverse<<<1, 32>>>(from, to);
  tagged host[32];
  cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) {
    if (host[i].tag != 'x' || host[i].value != 31 - i) return 1;
  }
  copy_next<<<1, 32>>>(from, to);
  use_padding<<<1, 32>>>(from, sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}
