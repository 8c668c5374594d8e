// The other file of several_files.cu.
__global__ void square_all(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= values[i];
}

void launch_squares(int* values, int n) {
  square_all<<<(n + 63) / 64, 64>>>(values, n);
}
