// covers: host | kernels that launch kernels: default stream, streams, fire and forget, tail launches, recursion
// with: -rdc=true
// says: in order: 5 10 11 22
// says: by each block: 4 blocks, sum 10
// says: streams and fire and forget: 111
// says: tail launches see all: 111 and 222
// says: recursion: sum of 1000 numbers 500500
// says: refused: 1 error, then none
// says: a structure and a pointer: 3.5 42

#include <cstdio>

__global__ void multiply(int* value, int factor) {
  *value *= factor;
}
__global__ void add(int* value, int summand) {
  atomicAdd(value, summand);
}
__global__ void copy(const int* from, int* to) {
  *to = *from;
}

// The kernels run one after another, because they are in one stream.
__global__ void in_order(int* values) {
  values[0] = 5;
  multiply<<<1, 1>>>(values, 2);
  copy<<<1, 1>>>(values, values + 1);
  add<<<1, 1>>>(values + 1, 1);
  copy<<<1, 1>>>(values + 1, values + 2);
  multiply<<<1, 1>>>(values + 2, 2);
  values[3] = 5;
}

__global__ void add_block(int* sum, int block) {
  if (threadIdx.x < block + 1) atomicAdd(sum, 1);
}
__global__ void by_each_block(int* values) {
  if (threadIdx.x != 0) return;
  atomicAdd(values + 1, 1);
  add_block<<<1, 32>>>(values, blockIdx.x);
}

__global__ void double_into(const int* from, int* to) {
  *to = 2 * *from;
}
__global__ void in_streams(int* values) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  // The tail launches run after everything else that this grid launches.
  double_into<<<1, 1, 0, cudaStreamTailLaunch>>>(values, values + 2);
  copy<<<1, 1, 0, cudaStreamTailLaunch>>>(values, values + 1);
  add<<<1, 1, 0, stream>>>(values, 1);
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(values, 10);
  add<<<1, 1>>>(values, 100);
  cudaStreamDestroy(stream);
}

// Launches a tree of grids. Each grid adds up to 16 numbers itself, or launches two others for one half each.
__global__ void sum_range(const int* values, int n, int* sum) {
  if (n <= 16) {
    for (int i = 0; i < n; ++i) atomicAdd(sum, values[i]);
    return;
  }
  sum_range<<<1, 1, 0, cudaStreamFireAndForget>>>(values, n / 2, sum);
  sum_range<<<1, 1, 0, cudaStreamFireAndForget>>>(values + n / 2, n - n / 2, sum);
}

__global__ void launch_too_large(int* values) {
  add<<<1, 2048>>>(values, 1);
  values[1] = cudaGetLastError() != cudaSuccess;
  values[2] = cudaGetLastError() != cudaSuccess;
}

struct pair {
  char tag;
  double number;
};
__global__ void take(pair given, short small, int* values, float* real) {
  extern __shared__ int room[];
  room[threadIdx.x] = small;
  __syncthreads();
  if (threadIdx.x != 0) return;
  *real = static_cast<float>(given.number);
  *values = room[blockDim.x - 1] + given.tag;
}
__global__ void pass_on(int* values, float* real) {
  take<<<1, 64, 64 * sizeof(int)>>>({2, 3.5}, short(40), values, real);
}

int read(const int* at) {
  int value;
  cudaMemcpy(&value, at, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

int main() {
  int* values;
  cudaMalloc(&values, 1000 * sizeof(int));
  cudaMemset(values, 0, 16 * sizeof(int));
  in_order<<<1, 1>>>(values);
  std::printf("in order: %d %d %d %d\n", read(values + 3), read(values), read(values + 1), read(values + 2));

  cudaMemset(values, 0, 16 * sizeof(int));
  by_each_block<<<4, 64>>>(values);
  std::printf("by each block: %d blocks, sum %d\n", read(values + 1), read(values));

  cudaMemset(values, 0, 16 * sizeof(int));
  in_streams<<<1, 1>>>(values);
  std::printf("streams and fire and forget: %d\n", read(values));
  std::printf("tail launches see all: %d and %d\n", read(values + 1), read(values + 2));

  int host[1000], *sum;
  for (int i = 0; i < 1000; ++i) host[i] = i + 1;
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  sum_range<<<1, 1>>>(values, 1000, sum);
  std::printf("recursion: sum of 1000 numbers %d\n", read(sum));

  launch_too_large<<<1, 1>>>(values);
  std::printf("refused: %d error, then %s\n", read(values + 1), read(values + 2) == 0 ? "none" : "again");

  float *real, real_value;
  cudaMalloc(&real, sizeof(float));
  pass_on<<<1, 1>>>(values, real);
  cudaMemcpy(&real_value, real, sizeof real_value, cudaMemcpyDeviceToHost);
  std::printf("a structure and a pointer: %.1f %d\n", real_value, read(values));
  return cudaDeviceSynchronize() != cudaSuccess;
}
