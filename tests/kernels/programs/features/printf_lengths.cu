// covers: device library | printf with C's length modifiers that a GPU does not support: %hhd, %zu, %jd, %td
// says: -56 200 18446744073709551615 -1 7

#include <cstddef>
#include <cstdint>
#include <cstdio>

__global__ void count() {
  std::printf("%hhd %hhu %zu %jd %td\n", 200, 456, ~size_t{0}, intmax_t{-1}, ptrdiff_t{7});
}

int main() {
  count<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
