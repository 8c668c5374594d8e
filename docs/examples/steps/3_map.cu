// Step 3: every thread writes one element.

#include <cstdio>

__global__ void write_squares(std::size_t* squares, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) squares[i] = i * i;
}

int main() {
  const std::size_t n = 10;
  std::size_t* squares;
  cudaMallocManaged(&squares, n * sizeof(std::size_t));
  write_squares<<<3, 4>>>(squares, n);
  cudaDeviceSynchronize();
  for (std::size_t i = 0; i < n; ++i) printf("%zu ", squares[i]);
  printf("\n");
  cudaFree(squares);
}
