// Runs a kernel, and with arguments calls libraries that have no emulation.
#include <cstdio>

extern "C" int cublasCreate_v2(void** handle);
extern "C" int ncclGetVersion(int* version);

__global__ void fill(int* values) {
  values[threadIdx.x] = 7;
}

static void call_a_library() {
  void* handle = nullptr;
  std::printf("created: %d\n", cublasCreate_v2(&handle));  // the line of the call
}

int main(int argc, char**) {
  int* values = nullptr;
  cudaMalloc(&values, 32 * sizeof(int));
  fill<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  std::printf("filled\n");
  cudaFree(values);
  if (argc > 1) call_a_library();
  int version = 0;
  if (argc > 2) ncclGetVersion(&version);
  return 0;
}
