#include "reductions/tune/promises.hpp"

#include <stdexcept>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "reductions/buffer.hpp"

namespace workbook {

#if CUB_VERSION >= 300300

/// Memory that CUB uses instead of allocating some in each call.
struct given_storage {
  void* data;
  std::size_t bytes;

  void* allocate_sync(std::size_t needed, std::size_t = 0) {
    if (needed > bytes) throw std::runtime_error("CUB's sum needs more storage than it was given");
    return data;
  }
  void deallocate_sync(void*, std::size_t, std::size_t = 0) noexcept {}
  void* allocate(cuda::stream_ref, std::size_t needed, std::size_t = 0) { return allocate_sync(needed); }
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t = 0) noexcept {}
  bool operator==(const given_storage&) const = default;
  friend void get_property(const given_storage&, cuda::mr::device_accessible) noexcept {}
};

namespace {

template <typename T, typename Determinism>
void sum_with(Determinism determinism, const T* in, T* out, std::size_t n, given_storage storage) {
  // CUB has no public name yet for the query that finds the memory resource in an environment.
  const auto memory = cuda::std::execution::prop{cuda::mr::__get_memory_resource, storage};
  check(cub::DeviceReduce::Sum(in, out, n, cuda::std::execution::env{cuda::execution::require(determinism), memory}));
}

template <typename T>
void sum(promise what, const T* in, T* out, std::size_t n, void* storage, std::size_t bytes) {
  const given_storage given{storage, bytes};
  switch (what) {
    case promise::any_order:
      return sum_with(cuda::execution::determinism::not_guaranteed, in, out, n, given);
    case promise::same_order:
      return sum_with(cuda::execution::determinism::run_to_run, in, out, n, given);
    case promise::same_bits:
      return sum_with(cuda::execution::determinism::gpu_to_gpu, in, out, n, given);
  }
}

}  // namespace

bool raced_cub_has_promises() {
  return true;
}

#else

namespace {

template <typename T>
void sum(promise, const T*, T*, std::size_t, void*, std::size_t) {
  throw std::runtime_error("this release of CUB has no sums with a chosen promise");
}

}  // namespace

bool raced_cub_has_promises() {
  return false;
}

#endif

void cub_sum(promise what, const float* in, float* out, std::size_t n, void* storage, std::size_t bytes) {
  sum(what, in, out, n, storage, bytes);
}
void cub_sum(promise what, const double* in, double* out, std::size_t n, void* storage, std::size_t bytes) {
  sum(what, in, out, n, storage, bytes);
}

}  // namespace workbook
