#pragma once
/// \file
/// The few helpers that every kernel file uses: launch arithmetic, and a dynamic shared array of any type.

#include <cstddef>

#include <cuda_runtime_api.h>

namespace workbook {

/// Returns ceil(a / b); `b` > 0.
__host__ __device__ constexpr std::size_t ceil_div(std::size_t a, std::size_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// Returns the number of blocks that cover `n` elements at `per_block` elements per block: at least 1, because the sum
/// of no elements must be written, too.
constexpr unsigned block_count(std::size_t n, std::size_t per_block) {
  return n == 0 ? 1u : static_cast<unsigned>(ceil_div(n, per_block));
}

/// Returns the block's dynamic shared memory as an array of T; the launch's third argument is its size in bytes. Valid
/// in all threads. All T share one array, because a template cannot declare an `extern __shared__` array whose type
/// depends on T.
template <typename T>
__device__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char tile[];
  // Legal: the array is aligned for every type of up to 16 bytes, and the caller uses it as one type only.
  return reinterpret_cast<T*>(tile);
}

/// Returns an attribute of the current device, or `otherwise` if it is 0 or the query fails.
inline unsigned attribute_or(cudaDeviceAttr which, unsigned otherwise) {
  int device = 0, value = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&value, which, device) == cudaSuccess && value > 0;
  return known ? static_cast<unsigned>(value) : otherwise;
}

/// Returns the size of the current device's L2 cache in bytes, or 0 if the query fails.
inline std::size_t l2_cache_bytes() {
  return attribute_or(cudaDevAttrL2CacheSize, 0);
}

/// Returns the number of multiprocessors of the current device, or 1 if the query fails.
inline unsigned multiprocessor_count() {
  return attribute_or(cudaDevAttrMultiProcessorCount, 1);
}

/// Returns how many blocks of `block_size` threads the current device runs at once, limited only by its numbers of
/// threads and blocks. For a kernel with few registers and little shared memory, this is the result of
/// cudaOccupancyMaxActiveBlocksPerMultiprocessor times the number of multiprocessors. For others, call that function.
inline unsigned resident_blocks(unsigned block_size) {
  const unsigned by_threads = attribute_or(cudaDevAttrMaxThreadsPerMultiProcessor, 0) / block_size;
  const unsigned most = attribute_or(cudaDevAttrMaxBlocksPerMultiprocessor, by_threads);
  const unsigned blocks = by_threads < most ? by_threads : most;
  return multiprocessor_count() * (blocks > 0 ? blocks : 1u);
}

}  // namespace workbook
