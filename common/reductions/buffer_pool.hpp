#pragma once
/// \file
/// A pool of device memory: buffers are cached after use and reused, so most requests need no allocation.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "reductions/allocators.hpp"
#include "reductions/buffer.hpp"

namespace workbook {

/// The limits of a pool.
struct pool_limits {
  std::size_t kept_buffers = 8;  ///< The most free buffers in the cache. Beyond that, the one returned first is freed.
  std::size_t total_bytes = std::numeric_limits<std::size_t>::max();  ///< Limit for all buffers, in use and cached.
};

/// Statistics of a pool: its work so far, and its buffers.
struct pool_statistics {
  std::size_t requests = 0;     ///< Calls of `allocate` that returned memory.
  std::size_t reused = 0;       ///< Requests that were served by a cached buffer.
  std::size_t allocations = 0;  ///< Successful cudaMalloc calls: requests - reused.
  std::size_t frees = 0;        ///< cudaFree calls.
  std::size_t bad_returns = 0;  ///< Buffers returned that weren't in use, for example twice: a bug of the caller.
  std::size_t buffers_in_use = 0, bytes_in_use = 0;
  std::size_t buffers_kept = 0, bytes_kept = 0;
  std::size_t peak_bytes = 0;  ///< The largest sum of bytes in use and cached so far.
};

/// Thrown if a request exceeds the limit of a pool.
class pool_exhausted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A pool of memory of one device, which must be current in every call. Several threads may use the pool. It must
/// outlive its allocators. It owns every buffer, so those that were never returned are freed with it.
///
/// Streams: a buffer is returned on a stream and may be reused at once, even while that stream still uses it. An event
/// marks the last use, and the next stream that gets the buffer waits for this event, on the device. The host never
/// waits, except in cudaMalloc and cudaFree. If kernels on other streams used a buffer, the stream on which it is
/// returned must have waited for them.
class buffer_pool {
 public:
  explicit buffer_pool(pool_limits limits = {}) : limits_(limits) {}
  ~buffer_pool();
  buffer_pool(const buffer_pool&) = delete;
  buffer_pool& operator=(const buffer_pool&) = delete;

  /// Returns at least `size_bytes` bytes, aligned to 256, for use on `stream`: the smallest cached buffer of at most
  /// twice that size, or a new one. If there is no room for a new one, frees cached buffers first. Returns null for 0.
  /// \throws pool_exhausted  if this request and the bytes in use exceed the limit
  /// \throws device_error    if the device doesn't have enough memory
  [[nodiscard]] void* allocate(std::size_t size_bytes, cudaStream_t stream = nullptr);
  /// Takes back the memory that `allocate` returned, after its last use on `stream`. Does nothing for null.
  void deallocate(void* data, cudaStream_t stream = nullptr) noexcept;
  /// Frees all cached buffers.
  void release_kept();
  [[nodiscard]] pool_statistics statistics() const;

 private:
  struct buffer {
    void* data = nullptr;
    std::size_t size_bytes = 0;
    cudaEvent_t last_use = nullptr;  ///< Null before the first return.
  };
  /// Removes a suitable buffer from the cache and returns it, or returns an empty one.
  buffer take_kept(std::size_t size_bytes);
  buffer make(std::size_t size_bytes);
  void destroy(const buffer& b) noexcept;
  void release_oldest() noexcept;

  mutable std::mutex guard_;
  pool_limits limits_;
  pool_statistics totals_;
  std::vector<buffer> kept_;  ///< In the order in which they were returned.
  std::map<void*, buffer> in_use_;
};

inline buffer_pool::~buffer_pool() {
  for (const buffer& b : kept_) destroy(b);
  for (const auto& [data, b] : in_use_) destroy(b);
}

inline void* buffer_pool::allocate(std::size_t size_bytes, cudaStream_t stream) {
  if (size_bytes == 0) return nullptr;
  constexpr std::size_t granule = 256;
  const std::size_t wanted = (size_bytes + granule - 1) / granule * granule;
  const std::lock_guard lock(guard_);
  buffer b = take_kept(wanted);
  const bool reused = b.data != nullptr;
  if (!reused) b = make(wanted);
  try {
    // The buffer's last use, on whichever stream, must end before later work on this stream.
    if (reused) check(cudaStreamWaitEvent(stream, b.last_use, 0));
    in_use_.emplace(b.data, b);
  } catch (...) {
    destroy(b);
    throw;
  }
  ++totals_.requests;
  totals_.reused += reused ? 1 : 0;
  totals_.bytes_in_use += b.size_bytes;
  return b.data;
}

inline void buffer_pool::deallocate(void* data, cudaStream_t stream) noexcept {
  const std::lock_guard lock(guard_);
  const auto found = in_use_.find(data);
  if (found == in_use_.end()) {
    totals_.bad_returns += data != nullptr ? 1 : 0;
    return;
  }
  buffer b = found->second;
  in_use_.erase(found);
  totals_.bytes_in_use -= b.size_bytes;
  const bool marked =
      (b.last_use != nullptr || cudaEventCreateWithFlags(&b.last_use, cudaEventDisableTiming) == cudaSuccess) &&
      cudaEventRecord(b.last_use, stream) == cudaSuccess;
  // If the stream no longer exists, the last use cannot be marked. Then cudaFree waits for the whole device instead.
  if (!marked || limits_.kept_buffers == 0) return destroy(b);
  if (kept_.size() == limits_.kept_buffers) release_oldest();
  kept_.push_back(b);
  totals_.bytes_kept += b.size_bytes;
}

inline void buffer_pool::release_kept() {
  const std::lock_guard lock(guard_);
  while (!kept_.empty()) release_oldest();
}

inline pool_statistics buffer_pool::statistics() const {
  const std::lock_guard lock(guard_);
  pool_statistics s = totals_;
  s.buffers_in_use = in_use_.size();
  s.buffers_kept = kept_.size();
  return s;
}

inline buffer_pool::buffer buffer_pool::take_kept(std::size_t size_bytes) {
  auto best = kept_.end();
  for (auto b = kept_.begin(); b != kept_.end(); ++b) {
    const bool fits = b->size_bytes >= size_bytes && b->size_bytes / 2 <= size_bytes;
    if (fits && (best == kept_.end() || b->size_bytes < best->size_bytes)) best = b;
  }
  if (best == kept_.end()) return {};
  const buffer taken = *best;
  kept_.erase(best);
  totals_.bytes_kept -= taken.size_bytes;
  return taken;
}

inline buffer_pool::buffer buffer_pool::make(std::size_t size_bytes) {
  const auto room = [&] {
    const std::size_t held = totals_.bytes_in_use + totals_.bytes_kept;
    return held <= limits_.total_bytes && size_bytes <= limits_.total_bytes - held;
  };
  while (!room() && !kept_.empty()) release_oldest();
  if (!room())
    throw pool_exhausted("a pool of at most " + std::to_string(limits_.total_bytes) + " bytes, " +
                         std::to_string(totals_.bytes_in_use) + " of them in use, cannot give " +
                         std::to_string(size_bytes) + " more");
  buffer b{nullptr, size_bytes, nullptr};
  cudaError_t code = cudaMalloc(&b.data, size_bytes);
  while (code == cudaErrorMemoryAllocation && !kept_.empty()) {
    (void)cudaGetLastError();  // not an error yet: cached buffers may occupy the memory
    release_oldest();
    code = cudaMalloc(&b.data, size_bytes);
  }
  check(code);
  ++totals_.allocations;
  totals_.peak_bytes = std::max(totals_.peak_bytes, totals_.bytes_in_use + totals_.bytes_kept + size_bytes);
  return b;
}

inline void buffer_pool::destroy(const buffer& b) noexcept {
  if (b.last_use != nullptr) (void)cudaEventDestroy(b.last_use);
  if (cudaFree(b.data) == cudaSuccess) ++totals_.frees;
}

inline void buffer_pool::release_oldest() noexcept {
  totals_.bytes_kept -= kept_.front().size_bytes;
  destroy(kept_.front());
  kept_.erase(kept_.begin());
}

/// An allocator (allocators.hpp) that uses a pool, for one stream.
template <typename T>
class pool_allocator {
 public:
  using value_type = T;
  explicit pool_allocator(buffer_pool& pool, cudaStream_t stream = nullptr) : pool_(&pool), stream_(stream) {}
  template <typename U>
  pool_allocator(const pool_allocator<U>& other) : pool_(&other.pool()), stream_(other.stream()) {}
  /// As buffer_pool::allocate, for n objects.
  [[nodiscard]] T* allocate(std::size_t n) { return static_cast<T*>(pool_->allocate(n * sizeof(T), stream_)); }
  void deallocate(T* data, std::size_t) noexcept { pool_->deallocate(data, stream_); }
  [[nodiscard]] buffer_pool& pool() const { return *pool_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

 private:
  buffer_pool* pool_;
  cudaStream_t stream_;
};

}  // namespace workbook
