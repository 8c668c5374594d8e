#pragma once
/// \file
/// Device memory that a rung keeps from call to call: an allocation each time would be timed with the sum.

#include <cstddef>

#include <cuda_runtime_api.h>

namespace workbook {

/// Device memory that grows when more is asked for. One call at a time.
class kept_workspace {
 public:
  kept_workspace() = default;
  ~kept_workspace() { release(); }
  kept_workspace(const kept_workspace&) = delete;
  kept_workspace& operator=(const kept_workspace&) = delete;
  /// Frees it: to be called before the device is reset.
  void release() {
    if (data_ != nullptr) cudaFree(data_);
    data_ = nullptr;
    size_bytes_ = 0;
  }
  /// Returns at least `wanted` bytes of device memory, zeroed when they were allocated, or null where there are none.
  [[nodiscard]] void* reserve(std::size_t wanted) {
    if (wanted > size_bytes_) {
      release();
      if (cudaMalloc(&data_, wanted) != cudaSuccess || cudaMemset(data_, 0, wanted) != cudaSuccess) release();
      size_bytes_ = data_ == nullptr ? 0 : wanted;
    }
    return data_;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace workbook
