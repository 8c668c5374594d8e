// Every 64th of 4096 blocks has nearly no work. A sample of blocks at a constant distance would see only those.

__global__ void uneven(int* to, int turns) {
  unsigned value = threadIdx.x;
  if (blockIdx.x % 64 != 0)
    for (int k = 0; k < turns; ++k) value = value * 1664525u + 1013904223u;
  to[blockIdx.x] = static_cast<int>(value);
}

int main() {
  int* to = nullptr;
  cudaMalloc(&to, 4096 * sizeof(int));
  uneven<<<4096, 128>>>(to, 200);
  cudaFree(to);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
