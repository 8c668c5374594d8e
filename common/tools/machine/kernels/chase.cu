#include "tools/machine/kernels/chase.hpp"

#include "device/buffer.hpp"
#include "device/launch.cuh"

namespace workbook::machine {
namespace {

__global__ void write_links(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  // Legal: places are aligned to 8 bytes.
  *reinterpret_cast<const std::byte**>(places + stride * i) = places + stride * next[i];
}

/// Written as PTX: what a pointer in memory points to is not known to be global memory.
__device__ std::uint64_t walked(std::uint64_t at, unsigned steps) {
  // A few steps per turn, so that the loop is hidden behind the waiting.
#pragma unroll 4
  for (unsigned k = 0; k < steps; ++k) {
    // Legal: the beginning of a place holds the address of another.
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
  }
  return at;
}

__global__ void walk_places(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result) {
  std::uint64_t at = walked(reinterpret_cast<std::uint64_t>(places), warm_up);
  // The clock is read when the walk so far is done; no address is 0.
  if (at == 0) return;
  const long long begin = clock64();
  at = walked(at, steps);
  if (at == 0) return;
  const long long end = clock64();
  result[0] = static_cast<std::uint64_t>(end - begin);
  result[1] = at;
}

}  // namespace

void link_places(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count) {
  write_links<<<block_count(count, 256), 256>>>(places, stride, next, count);
  check(cudaGetLastError());
}

void walk(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result) {
  walk_places<<<1, 1>>>(places, warm_up, steps, result);
  check(cudaGetLastError());
}

}  // namespace workbook::machine
