// A function of the runtime that the emulator lacks: it says so, and the program sees the error.
#include <cstdio>

int main() {
  cudaArray_t array;
  const cudaError_t error = cudaMalloc3DArray(&array, nullptr, {}, 0);
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported ? 0 : 1;
}
