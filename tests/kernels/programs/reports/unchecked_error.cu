// The copy is longer than the destination, and nothing checks what the call returns.

#include <vector>

int main() {
  const std::vector<float> values(100);
  float* in;
  cudaMalloc(&in, 50 * sizeof(float));
  cudaMemcpy(in, values.data(), 100 * sizeof(float), cudaMemcpyHostToDevice);
  cudaFree(in);
}
