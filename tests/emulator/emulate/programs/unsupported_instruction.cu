// Uses an instruction that the emulator doesn't implement: the warp's product with a sparse matrix.
__global__ void multiply(unsigned* values) {
  unsigned d0 = 0, d1 = 0;
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2}, {%2, %2}, {%2, %2}, %2, 0x0;"
               : "=r"(d0), "=r"(d1)
               : "r"(values[threadIdx.x]));
  values[threadIdx.x] = d0 + d1;
}

int main() {
  unsigned* device = nullptr;
  cudaMalloc(&device, 32 * sizeof *device);
  cudaMemset(device, 0, 32 * sizeof *device);
  multiply<<<1, 32>>>(device);
  return 0;
}
