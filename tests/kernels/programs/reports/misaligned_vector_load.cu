// Each thread loads four floats at once, from the second element on.

__global__ void sum_of_four(const float* in, float* out) {
  const float4 four = reinterpret_cast<const float4*>(in + 1)[threadIdx.x];
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 256 * sizeof(float));
  cudaMallocManaged(&out, 32 * sizeof(float));
  for (int i = 0; i < 256; ++i) in[i] = static_cast<float>(i);
  sum_of_four<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
}
