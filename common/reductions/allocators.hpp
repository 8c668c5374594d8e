#pragma once
/// \file
/// Allocators of device memory for pipelines, with the interface of std::allocator, and an owner that frees its memory.

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

#include <cuda_runtime_api.h>

#include "reductions/buffer.hpp"

namespace workbook {

/// An allocator for device memory: `allocate(n)` returns room for n objects of `value_type`, aligned to 256 bytes.
template <typename A>
concept memory_allocator = std::copyable<A> && requires(A a, std::size_t n, typename A::value_type* data) {
  { a.allocate(n) } -> std::same_as<typename A::value_type*>;
  { a.deallocate(data, n) }
  noexcept;
};

/// Calls cudaMalloc and cudaFree for every buffer. cudaMalloc may wait for the device, and cudaFree always does.
template <typename T>
class device_allocator {
 public:
  using value_type = T;
  device_allocator() = default;
  template <typename U>
  device_allocator(const device_allocator<U>&) {}
  /// Returns null if `n` is 0. \throws device_error  if the device doesn't have enough free memory
  [[nodiscard]] T* allocate(std::size_t n) {
    void* data = nullptr;
    if (n != 0) check(cudaMalloc(&data, n * sizeof(T)));
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t) noexcept { (void)cudaFree(data); }
};

/// Calls cudaMallocAsync and cudaFreeAsync on a stream, so the memory comes from the driver's own pool. By default, the
/// pool returns free memory to the system at every synchronisation (cudaMemPoolAttrReleaseThreshold is 0).
template <typename T>
class stream_allocator {
 public:
  using value_type = T;
  explicit stream_allocator(cudaStream_t stream = nullptr) : stream_(stream) {}
  template <typename U>
  stream_allocator(const stream_allocator<U>& other) : stream_(other.stream()) {}
  /// Returns null if `n` is 0. Later work on the stream may use the memory. \throws device_error
  [[nodiscard]] T* allocate(std::size_t n) {
    void* data = nullptr;
    if (n != 0) check(cudaMallocAsync(&data, n * sizeof(T), stream_));
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t) noexcept {
    if (data != nullptr) (void)cudaFreeAsync(data, stream_);
  }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
};

/// Owns uninitialised memory for `n` objects of T.
template <typename T, memory_allocator A>
class allocated {
  using allocator = typename std::allocator_traits<A>::template rebind_alloc<T>;

 public:
  /// \throws device_error
  allocated(const A& from, std::size_t n) : allocator_(from), data_(allocator_.allocate(n)), n_(n) {}
  ~allocated() {
    if (data_ != nullptr) allocator_.deallocate(data_, n_);
  }
  allocated(allocated&& other) noexcept
      : allocator_(other.allocator_), data_(std::exchange(other.data_, nullptr)), n_(std::exchange(other.n_, 0)) {}
  allocated& operator=(allocated&& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    return *this;
  }
  allocated(const allocated&) = delete;
  allocated& operator=(const allocated&) = delete;
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return n_; }

 private:
  allocator allocator_;
  T* data_;
  std::size_t n_;
};

}  // namespace workbook
