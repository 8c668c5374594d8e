// Calls a function of the runtime that the emulator doesn't implement. It reports this, and the program gets the error.
#include <cstdio>

int main() {
  cudaMipmappedArray_t array;
  const cudaError_t error = cudaMallocMipmappedArray(&array, nullptr, {}, 1, 0);
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported ? 0 : 1;
}
