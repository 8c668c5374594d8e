#include "workbook/hold.hpp"

#include "reductions/buffer.hpp"

namespace workbook {
namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
#ifdef __CUDA_ARCH__
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
#endif
  return now;
}

__global__ void wait_for_host(const volatile std::uint32_t* released, std::uint32_t ticket, std::uint64_t longest_ns) {
  const std::uint64_t begin = nanoseconds();
  // The difference is right even after the ticket numbers have wrapped around.
  while (static_cast<std::int32_t>(*released - ticket) < 0 && nanoseconds() - begin < longest_ns) {
  }
}

}  // namespace

held_stream::held_stream() {
  void* word = nullptr;
  check(cudaHostAlloc(&word, sizeof(std::uint32_t), cudaHostAllocMapped));
  released_ = static_cast<volatile std::uint32_t*>(word);
  *released_ = 0;
}

held_stream::~held_stream() {
  *released_ = ticket_;
  cudaDeviceSynchronize();
  cudaFreeHost(const_cast<std::uint32_t*>(released_));
}

void held_stream::hold() {
  wait_for_host<<<1, 1>>>(const_cast<const volatile std::uint32_t*>(released_), ++ticket_, longest_us * 1000);
}

void held_stream::release() {
  *released_ = ticket_;
}

}  // namespace workbook
