// Compiled once by the bootstrap, and thrown away: does this nvcc do what the workbook asks of it?
#include <cooperative_groups.h>

#include <concepts>

#if !__has_include(<cub/cub.cuh>)
#error "CUB is missing beside this nvcc"
#endif

template <std::integral T>
__global__ void probe(T* out) {
  out[cooperative_groups::this_thread_block().thread_rank()] = 1;
}

int main() {
  probe<<<1, 32>>>(static_cast<int*>(nullptr));
}
