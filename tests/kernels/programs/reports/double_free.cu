// Two functions each free what they were given.

void use(float* values) {
  cudaMemset(values, 0, 64 * sizeof(float));
  cudaFree(values);
}

int main() {
  float* values;
  cudaMalloc(&values, 64 * sizeof(float));
  use(values);
  cudaFree(values);
}
