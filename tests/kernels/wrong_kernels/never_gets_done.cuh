// wrong: a pass adds only one pair, so n elements need n passes
// killed by: verification
// shows for: n = 1000, blocks of 128, int
#pragma once
// chapter: 4, kernel 30
#include <cstddef>

#include "reductions/launch.cuh"

namespace wrong::never_gets_done {

template <typename T>
__global__ void reduce_wrong(const T* in, T* partials, std::size_t n) {
  if (n > 1 && threadIdx.x == 0) partials[0] = in[0] + in[n - 1];
  for (std::size_t i = 1 + threadIdx.x; i + 1 < n; i += blockDim.x) partials[i] = in[i];
}

template <typename T>
std::size_t reduce(const T* in, T* partials, std::size_t n, unsigned block_size) {
  const std::size_t room = workbook::ceil_div(n, std::size_t{block_size});
  reduce_wrong<<<1, block_size>>>(in, partials, n <= room ? n : room);
  return n - 1;
}

}  // namespace wrong::never_gets_done
