// The kernel is launched after its input was freed.

__global__ void scale(const float* in, float* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  cudaFree(in);
  scale<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
}
