// The last block has more threads than elements, and no condition keeps them out.

__global__ void square(unsigned long* squares) {
  const unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;
  squares[i] = i * i;
}

int main() {
  unsigned long* squares;
  cudaMallocManaged(&squares, 100 * sizeof(unsigned long));
  square<<<4, 32>>>(squares);
  cudaDeviceSynchronize();
}
