// What Thrust makes of the same sum.

#include "tools/ladder/others.hpp"

#include <thrust/device_ptr.h>
#include <thrust/reduce.h>

namespace workbook {
namespace {

template <typename T>
void sum(const T* in, T* out, std::size_t n) {
  const auto first = thrust::device_pointer_cast(in);
  const T total = thrust::reduce(first, first + static_cast<std::ptrdiff_t>(n), T{});
  // The caller finds a failure with cudaGetLastError.
  (void)cudaMemcpyAsync(out, &total, sizeof(T), cudaMemcpyHostToDevice, nullptr);
}

}  // namespace

reduction thrust_reduction() {
  reduction r;
  r.name = "thrust::reduce";
  r.as = role::library;
  const auto call = [](const auto* in, auto* out, std::size_t n) { sum(in, out, n); };
  r.wholes = {whole<int>(call), whole<unsigned>(call), whole<long long>(call), whole<float>(call), whole<double>(call)};
  // As for CUB, on which Thrust is built.
  r.depth = [](std::size_t n, unsigned) { return 64 + n / 4096; };
  return r;
}

}  // namespace workbook
