// The bootstrap compiles this once, to find out if this nvcc supports what the workbook needs.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <concepts>
#include <source_location>

#if CUDART_VERSION < 12040
#error "the workbook needs the CUDA runtime of 12.4 or newer"
#endif
#if !__has_include(<cub/cub.cuh>) || !__has_include(<cuda/std/bit>)
#error "CUB is missing beside this nvcc"
#endif

template <std::integral T>
__global__ void probe(T* out) {
  out[cooperative_groups::this_thread_block().thread_rank()] = 1;
}

void check(cudaError_t, std::source_location = std::source_location::current()) {}

int main() {
  static_cast<void>(cudaKernel_t{});
  static_cast<void>(cudaGraphCondTypeWhile);
  probe<<<1, 32>>>(static_cast<int*>(nullptr));
  check(cudaGetLastError());
}
