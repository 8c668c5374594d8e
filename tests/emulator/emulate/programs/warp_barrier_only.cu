// The program has a barrier for the warp although it needs one for the block, and it has no loop.
__global__ void other_half(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x ^ 32];
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 64 * sizeof(int));
  other_half<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
