// A block has more threads than any GPU allows.

__global__ void clear(int* values) {
  values[threadIdx.x] = 0;
}

int main() {
  int* values;
  cudaMalloc(&values, 2048 * sizeof(int));
  clear<<<1, 2048>>>(values);
  cudaDeviceSynchronize();
}
