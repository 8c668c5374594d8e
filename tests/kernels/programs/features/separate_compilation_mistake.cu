// covers: functions | separate compilation: an out-of-bounds access in a function of another file, with its line there
// with: parts/linked_mistake.cu -rdc=true
// status: 86
// finding: Out of bounds: thread 4 writes values[4] (i) in linked_mistake.cu:6, but values has 4 elements

extern __device__ void put(int* values, int i);

__global__ void fill(int* values) {
  put(values, threadIdx.x);
}

int main() {
  int* values;
  cudaMalloc(&values, 4 * sizeof(int));
  fill<<<1, 5>>>(values);
  return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
