#pragma once
/// \file
/// `action::to_gpu`: ends a pipeline with an array on the device.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reductions/allocators.hpp"
#include "reductions/launch.cuh"
#include "reductions/ranges/sources.cuh"

namespace workbook {

/// Owns elements on the device. A pipeline may begin with it.
template <typename T, memory_allocator A = device_allocator<std::byte>>
class device_array {
 public:
  /// Uninitialised. \throws device_error, or an exception of the allocator
  explicit device_array(std::size_t count, const A& from = {}) : memory_(from, count * sizeof(T)), count_(count) {}
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] array_view<T> view() const { return {data(), count_}; }
  /// Returns a copy. Synchronises. \throws device_error
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> copy(count_);
    if (count_ != 0) check(cudaMemcpy(copy.data(), data(), count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  allocated<std::byte, A> memory_;
  std::size_t count_;
};

/// Writes the `n` elements of `r` to `out` (device, aligned to 16 bytes), N at a time if `Vectors`.
template <unsigned N, bool Vectors, typename R, typename T>
__global__ void write_range(R r, T* out, std::size_t n) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t vectors = Vectors ? n / N : 0;
  if constexpr (Vectors) {
    for (std::size_t k = thread; k < vectors; k += threads)
      store(out + k * N, r.template get_vector<N, caching::streaming>(k * N));
  }
  for (std::size_t i = vectors * N + thread; i < n; i += threads) out[i] = r[i];
}

/// Launches `write_range` on `stream`. Does not synchronise or allocate. cudaGetLastError returns errors.
template <sized_range R, typename T>
void launch_write(const R& r, T* out, cudaStream_t stream) {
  static_assert(std::is_same_v<typename R::value_type, T>);
  constexpr bool stores_vectors = sizeof(uint4) % sizeof(T) == 0;
  // At most 16 bytes of results, and no more elements than the range loads at once; 4 if nothing is loaded.
  constexpr unsigned fit = stores_vectors ? sizeof(uint4) / sizeof(T) : 1;
  constexpr unsigned N = std::min(fit, R::per_vector != 0 ? R::per_vector : 4);
  constexpr unsigned block_size = 256;
  const std::size_t n = r.size();
  if (n == 0) return;
  const auto grid = static_cast<unsigned>(
      std::min<std::size_t>(ceil_div(n, block_size * N), std::size_t{32} * multiprocessor_count()));
  bool vectors = false;
  if constexpr (stores_vectors && R::has_vectors) {
    const std::size_t head = r.head(N);
    vectors = head == 0 || head == anywhere;
    if (vectors) write_range<N, true><<<grid, block_size, 0, stream>>>(r, out, n);
  }
  if (!vectors) write_range<N, false><<<grid, block_size, 0, stream>>>(r, out, n);
}

/// The right operand of `| action::to_gpu()`.
template <memory_allocator A>
struct to_gpu_step : pipeline_step {
  A from;
  cudaStream_t stream;
  template <range R>
  [[nodiscard]] auto operator()(const R& r) const {
    static_assert(sized_range<R>,
                  "action::to_gpu: after a filter, the number of elements is not known before they are evaluated: "
                  "this range has no size, and an array needs one");
    if constexpr (sized_range<R>) {
      device_array<typename R::value_type, A> array(r.size(), from);
      launch_write(r, array.data(), stream);
      check(cudaGetLastError());
      return array;
    }
  }
};

namespace action {

/// Ends a pipeline with a `device_array`, whose memory is allocated from `allocator`, in one launch on `stream`. Does
/// not synchronise. \throws device_error, or an exception of the allocator
template <memory_allocator A = device_allocator<std::byte>>
[[nodiscard]] to_gpu_step<A> to_gpu(const A& allocator = {}, cudaStream_t stream = nullptr) {
  return {{}, allocator, stream};
}

}  // namespace action
}  // namespace workbook
