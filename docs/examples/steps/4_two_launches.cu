// Step 4: two launches add up 10 elements.

#include <cstdio>

__global__ void add_up(const int* in, int* partials, std::size_t n) {
  if (threadIdx.x == 0) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x;
    int sum = 0;
    for (std::size_t i = first; i < first + blockDim.x && i < n; ++i) sum += in[i];
    partials[blockIdx.x] = sum;
  }
}

int main() {
  int *in, *partials, *total;
  cudaMallocManaged(&in, 10 * sizeof(int));
  cudaMallocManaged(&partials, 3 * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  for (int i = 0; i < 10; ++i) in[i] = i;
  add_up<<<3, 4>>>(in, partials, 10);
  add_up<<<1, 4>>>(partials, total, 3);
  cudaDeviceSynchronize();
  printf("%d + %d + %d = %d\n", partials[0], partials[1], partials[2], *total);
}
