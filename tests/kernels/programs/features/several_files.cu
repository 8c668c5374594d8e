// covers: host | several source files, with kernels and without
// with: parts/squares.cu parts/sum.cpp

void launch_squares(int* values, int n);
int sum_of(const int* values, int n);

__global__ void count_up(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = i;
}

int main() {
  const int n = 100;
  int* values;
  cudaMallocManaged(&values, n * sizeof(int));
  count_up<<<2, 64>>>(values, n);
  launch_squares(values, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  return sum_of(values, n) != 99 * 100 * 199 / 6;
}
