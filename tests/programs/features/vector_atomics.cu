// refuses: device library | atomics on vectors (float2, float4): the instruction is named, with what to do instead
// status: 86
// finding: add the components one by one

__global__ void add_pair(float2* sum) {
  atomicAdd(sum, make_float2(1.0f, 2.0f));
}

int main() {
  float2* sum;
  cudaMallocManaged(&sum, sizeof(float2));
  *sum = make_float2(0.0f, 0.0f);
  add_pair<<<1, 32>>>(sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}
