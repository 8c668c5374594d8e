// Has one mistake, which occurs in each of five launches: there is no barrier between the read and the write.
__global__ void swap_halves(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int other = tile[threadIdx.x ^ 32];
  tile[threadIdx.x] = other;
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 64 * sizeof(int));
  for (int i = 0; i < 5; ++i) swap_halves<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
