// Pipelines for ranges_test.cpp and buffer_pool_test.cpp.

#include "reductions/ranges_kernels.hpp"

#include "reductions/ranges.cuh"

namespace workbook {
namespace {

/// Elements on the device that begin `offset_bytes` after the start of an allocation and end with it.
template <typename T>
class placed {
 public:
  placed(const std::vector<T>& elements, std::size_t offset_bytes)
      : memory_(offset_bytes + elements.size() * sizeof(T)), offset_(offset_bytes), n_(elements.size()) {
    if (n_ != 0) check(cudaMemcpy(memory_.data() + offset_, elements.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] array_view<T> view() const {
    return view::array(reinterpret_cast<const T*>(memory_.data() + offset_), n_);
  }

 private:
  device_bytes memory_;
  std::size_t offset_, n_;
};

struct three_times_and_one {
  __host__ __device__ long long operator()(int x) const { return 3ll * x + 1; }
};
struct no_multiple_of_four {
  __host__ __device__ bool operator()(int x) const { return x % 4 != 0; }
};
struct above {
  int least;
  __host__ __device__ bool operator()(int x) const { return x > least; }
};
/// Has no identity, because it doesn't define one for the reduction to start with.
struct larger {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct squared_difference {
  template <typename X, typename Y>
  __host__ __device__ double operator()(X x, Y y) const {
    const double difference = static_cast<double>(x) - static_cast<double>(y);
    return difference * difference;
  }
};
struct total_of_triple {
  __host__ __device__ int operator()(triple t) const { return t.x + t.y + t.z; }
};

__global__ void wait_and_fill(int* out, std::size_t n, int value, int rounds) {
  unsigned state = 1;
  for (int k = 0; k < rounds; ++k) state = state * 1664525u + 1013904223u;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // `state` is never 12345, but the compiler cannot know that, so it has to keep the loop.
  if (i < n) out[i] = state == 12345u ? -1 : value;
}

}  // namespace

template <typename T>
T sum_of_iota(T first, T last) {
  return view::iota(first, last) | action::reduce(plus{});
}
template int sum_of_iota(int, int);
template unsigned sum_of_iota(unsigned, unsigned);
template long long sum_of_iota(long long, long long);
template double sum_of_iota(double, double);

long long sum_of_mapped_and_filtered(const std::vector<int>& elements, std::size_t offset_bytes) {
  const placed<int> in(elements, offset_bytes);
  return in | view::filter(no_multiple_of_four{}) | view::transform(three_times_and_one{}) | action::reduce(plus{});
}

int sum_of_table_behind_filter(const std::vector<int>& table) {
  const placed<int> in(table, 0);
  const int* const data = in.view().data;
  const int size = static_cast<int>(table.size());
  return view::iota(0, 4 * size) | view::filter([size] __host__ __device__(int i) { return i < size; }) |
         view::transform([data] __host__ __device__(int i) { return data[i]; }) | action::reduce(plus{});
}

std::optional<int> largest_above(const std::vector<int>& elements, int least) {
  return placed<int>(elements, 4) | view::filter(above{least}) | action::reduce(larger{});
}

int largest_above_or(const std::vector<int>& elements, int least, int first) {
  return placed<int>(elements, 4) | view::filter(above{least}) | action::reduce(first, larger{});
}

template <typename X, typename Y>
double sum_of_squared_differences(const std::vector<X>& x, const std::vector<Y>& y, std::size_t x_offset_bytes,
                                  std::size_t y_offset_bytes) {
  const placed<X> a(x, x_offset_bytes);
  const placed<Y> b(y, y_offset_bytes);
  return view::zip_transform(squared_difference{}, a.view(), b.view()) | action::reduce(plus{});
}
template double sum_of_squared_differences(const std::vector<float>&, const std::vector<float>&, std::size_t,
                                           std::size_t);
template double sum_of_squared_differences(const std::vector<unsigned char>&, const std::vector<double>&, std::size_t,
                                           std::size_t);

int sum_of_triples(const std::vector<triple>& elements) {
  return placed<triple>(elements, 4) | view::transform(total_of_triple{}) | action::reduce(plus{});
}

template <typename T>
std::vector<T> seven_times(const std::vector<T>& elements, std::size_t offset_bytes) {
  const placed<T> in(elements, offset_bytes);
  const auto out =
      in | view::transform([] __host__ __device__(T x) { return static_cast<T>(7 * x); }) | action::to_gpu();
  check(cudaDeviceSynchronize());
  return out.to_host();
}
template std::vector<unsigned char> seven_times(const std::vector<unsigned char>&, std::size_t);
template std::vector<int> seven_times(const std::vector<int>&, std::size_t);
template std::vector<double> seven_times(const std::vector<double>&, std::size_t);

std::vector<int> sums_with_kept_workspace(int n, int calls) {
  const device_bytes workspace(reduce_workspace_bytes<int>()), out(sizeof(int) * static_cast<std::size_t>(calls));
  check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
  for (int k = 0; k < calls; ++k)
    view::iota(0, n) | action::reduce_into(plus{}, reinterpret_cast<int*>(out.data()) + k, workspace.data());
  check(cudaGetLastError());
  std::vector<int> results(static_cast<std::size_t>(calls));
  check(cudaMemcpy(results.data(), out.data(), out.size_bytes(), cudaMemcpyDeviceToHost));
  return results;
}

std::vector<int> sums_from_pool(int n, buffer_pool& pool, cudaStream_t stream) {
  const pool_allocator<std::byte> from(pool, stream);
  const int direct = view::iota(0, n) | action::reduce(plus{}, from, stream);
  const auto stored = view::iota(0, n) | action::to_gpu(from, stream);
  const int of_array = stored | action::reduce(plus{}, from, stream);
  return {direct, of_array};
}

void fill_late(int* out, std::size_t n, int value, int rounds, cudaStream_t stream) {
  wait_and_fill<<<block_count(n, 256), 256, 0, stream>>>(out, n, value, rounds);
  check(cudaGetLastError());
}

}  // namespace workbook
