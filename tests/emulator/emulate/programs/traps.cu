// The kernel traps, and the program doesn't check for the error.
__global__ void give_up(int* value) {
  if (*value == 0) __trap();
}

int main() {
  int* device = nullptr;
  cudaMalloc(&device, sizeof *device);
  cudaMemset(device, 0, sizeof *device);
  give_up<<<1, 1>>>(device);
  return 0;
}
