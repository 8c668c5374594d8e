// wrong: the last argument was forgotten
// killed by: memcheck
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 0, kernel 2
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::null_pointer {

template <typename T>
__global__ void sum_of(const T* in, T* out, std::size_t n, const T* start) {
  T sum = *start;  // <- finding
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned) {
  sum_of<<<1, 1>>>(in, partials, n, static_cast<const T*>(nullptr));
  return 1;
}

}  // namespace wrong::null_pointer
