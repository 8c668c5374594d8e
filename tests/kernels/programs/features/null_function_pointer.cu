// covers: functions | a call through a pointer that is not a function's: an error that explains it
// status: 1
// finding: leads to no function

__device__ int twice(int x) {
  return 2 * x;
}
__device__ int (*slots[2])(int) = {twice, nullptr};

__global__ void run(int* out) {
  out[threadIdx.x] = slots[threadIdx.x / 16](threadIdx.x);
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  run<<<1, 32>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
