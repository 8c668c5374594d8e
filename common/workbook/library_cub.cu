// The library's row in every table: cub::DeviceReduce::Sum, unmodified.

#include <cub/device/device_reduce.cuh>

#include "workbook/library.hpp"

namespace workbook {
namespace {

/// CUB's workspace, kept from call to call: an allocation each time would be timed with the sum.
class workspace {
 public:
  workspace() = default;
  ~workspace() { release(); }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  void release() {
    if (data_ != nullptr) cudaFree(data_);
    data_ = nullptr;
    size_bytes_ = 0;
  }
  /// Returns at least `wanted` bytes of device memory, or null where there are none.
  void* reserve(std::size_t wanted) {
    if (wanted > size_bytes_) {
      release();
      if (cudaMalloc(&data_, wanted) != cudaSuccess) data_ = nullptr;
      size_bytes_ = data_ == nullptr ? 0 : wanted;
    }
    return data_;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

template <typename T>
void sum(workspace& w, const T* in, T* out, std::size_t n) {
  std::size_t wanted = 0;
  if (cub::DeviceReduce::Sum(nullptr, wanted, in, out, n) != cudaSuccess) return;
  void* storage = w.reserve(wanted == 0 ? 1 : wanted);
  if (storage != nullptr) cub::DeviceReduce::Sum(storage, wanted, in, out, n);
}

}  // namespace

reduction library_reduction() {
  reduction r;
  r.name = "cub::DeviceReduce::Sum";
  r.as = role::library;
  const auto w = std::make_shared<workspace>();
  const auto call = [w](const auto* in, auto* out, std::size_t n) { sum(*w, in, out, n); };
  r.wholes = {whole<int>(call), whole<unsigned>(call), whole<long long>(call), whole<float>(call), whole<double>(call)};
  r.reset = [w] { w->release(); };
  // The order of the library's additions is its own; this many on one way is more than any of its versions needs.
  r.depth = [](std::size_t n, unsigned) { return 64 + n / 4096; };
  return r;
}

}  // namespace workbook
