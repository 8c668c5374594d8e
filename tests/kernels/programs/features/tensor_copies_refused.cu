// refuses: device library | copies by tensor maps (cp.async.bulk.tensor), by name
// status: 86
// finding: copies by tensor maps are not emulated: copy by cp.async.bulk

#include <cstdint>

__global__ void copy(const void* map, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ std::uint64_t barrier;
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const auto object = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(to),
      "l"(map), "r"(0), "r"(object)
      : "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  copy<<<1, 32>>>(out, out);
  cudaDeviceSynchronize();
  return 0;
}
