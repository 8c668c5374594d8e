#pragma once
/// \file
/// Device memory that frees itself, and errors as exceptions.

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <cuda_runtime_api.h>

namespace workbook {

/// Returns the last three parts of a path. The rest only says where this clone is.
[[nodiscard]] inline std::string_view end_of_path(std::string_view path) {
  std::size_t slash = path.size();
  for (int parts = 0; parts < 3 && slash != 0 && slash != std::string_view::npos; ++parts)
    slash = path.rfind('/', slash - 1);
  return slash == std::string_view::npos || slash == 0 ? path : path.substr(slash + 1);
}

/// Thrown if a CUDA call fails. The message contains the error, the file and the line.
class device_error : public std::runtime_error {
 public:
  device_error(cudaError_t code, const std::source_location& where)
      : std::runtime_error(std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code) + " (" +
                           std::string(end_of_path(where.file_name())) + ":" + std::to_string(where.line()) + ")"),
        code_(code) {}
  [[nodiscard]] cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// \throws device_error  if `code` is not cudaSuccess
inline void check(cudaError_t code, const std::source_location& where = std::source_location::current()) {
  if (code != cudaSuccess) throw device_error(code, where);
}

/// Returns an attribute of the current device. \throws device_error
[[nodiscard]] inline int device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// Owns `size_bytes` of device memory; empty if `size_bytes` is 0.
class device_bytes {
 public:
  device_bytes() = default;
  /// \throws device_error  if the device doesn't have enough free memory
  explicit device_bytes(std::size_t size_bytes) : size_bytes_(size_bytes) {
    if (size_bytes != 0) check(cudaMalloc(&data_, size_bytes));
  }
  ~device_bytes() {
    if (data_ != nullptr) cudaFree(data_);
  }
  device_bytes(device_bytes&& other) noexcept : data_(other.data_), size_bytes_(other.size_bytes_) { other.forget(); }
  device_bytes& operator=(device_bytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  /// Gives up ownership without freeing, because after a reset of the device there is nothing left to free.
  void forget() {
    data_ = nullptr;
    size_bytes_ = 0;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// A CUDA event that destroys itself.
class event {
 public:
  event() { check(cudaEventCreate(&handle_)); }
  ~event() { cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record() { check(cudaEventRecord(handle_, nullptr)); }
  /// Returns true if the GPU has reached the event. \throws device_error
  [[nodiscard]] bool has_happened() const {
    const cudaError_t answer = cudaEventQuery(handle_);
    if (answer != cudaErrorNotReady) check(answer);
    return answer == cudaSuccess;
  }
  /// Waits for this event, and returns the milliseconds from `begin` to it. \throws device_error
  [[nodiscard]] double milliseconds_since(const event& begin) const {
    float ms = 0;
    check(cudaEventSynchronize(handle_));
    check(cudaEventElapsedTime(&ms, begin.handle_, handle_));
    return static_cast<double>(ms);
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

}  // namespace workbook
