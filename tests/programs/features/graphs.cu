// refuses: host | CUDA graphs: the call is named and fails, and the program can go on without
// says: cudaStreamBeginCapture

#include <cstdio>

__global__ void add_one(int* x) {
  *x += 1;
}

int main() {
  int* x;
  cudaMallocManaged(&x, sizeof(int));
  *x = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaError_t captured = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  if (captured == cudaSuccess) return 1;
  add_one<<<1, 1, 0, stream>>>(x);  // the program can do without
  cudaStreamSynchronize(stream);
  return *x != 1;
}
