// covers: device library | nvcuda::wmma for half, bfloat16, tf32, int8 and double: shapes, layouts, saturation

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace nvcuda;

// Number of elements of a row or column of a matrix in memory, a multiple of 16 bytes for each type.
constexpr int stride = 48;
constexpr int most = 32 * stride;

// Lets one warp multiply A and B, of M x K and K x N elements, and add C.
template <typename Element, typename Stored, typename Sum, int M, int N, int K, typename LayoutA, typename LayoutB,
          bool Saturates>
__global__ void product(const Stored* a, const Stored* b, const Sum* c, Sum* d, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, M, N, K, Element, LayoutA> left;
  wmma::fragment<wmma::matrix_b, M, N, K, Element, LayoutB> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::load_matrix_sync(left, a, stride);
  wmma::load_matrix_sync(right, b, stride);
  wmma::load_matrix_sync(sum, c, stride, layout);
  if constexpr (std::is_same_v<Element, wmma::precision::tf32>) {
    for (int e = 0; e < left.num_elements; ++e) left.x[e] = wmma::__float_to_tf32(left.x[e]);
    for (int e = 0; e < right.num_elements; ++e) right.x[e] = wmma::__float_to_tf32(right.x[e]);
  }
  if constexpr (std::is_same_v<Sum, int>)
    wmma::mma_sync(sum, left, right, sum, Saturates);
  else
    wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(d, sum, stride, layout);
}

unsigned next(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// Returns multiples of 1/8 below 1. 16 products of such numbers, and their sums, are exact in every type.
template <typename T>
T small(unsigned& state) {
  const int eighths = static_cast<int>(next(state) % 15) - 7;
  if constexpr (std::is_same_v<T, half>)
    return __float2half(static_cast<float>(eighths) / 8);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __float2bfloat16(static_cast<float>(eighths) / 8);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(next(state));
  else
    return static_cast<T>(eighths) / 8;
}

template <typename T>
double value_of(T x) {
  if constexpr (std::is_same_v<T, half>)
    return __half2float(x);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __bfloat162float(x);
  else
    return static_cast<double>(x);
}

template <typename Layout>
int place(int row, int column) {
  return std::is_same_v<Layout, wmma::row_major> ? row * stride + column : column * stride + row;
}

void* memory[4];
int failed = 0;

template <typename Element, typename Stored, typename Sum, int M, int N, int K, typename LayoutA, typename LayoutB,
          bool Saturates = false>
void run(const char* name, wmma::layout_t layout) {
  auto* a = static_cast<Stored*>(memory[0]);
  auto* b = static_cast<Stored*>(memory[1]);
  auto *c = static_cast<Sum*>(memory[2]), *d = static_cast<Sum*>(memory[3]);
  unsigned state = 1;
  for (int i = 0; i < most; ++i) a[i] = small<Stored>(state), b[i] = small<Stored>(state);
  for (int i = 0; i < most; ++i) {
    c[i] = small<Sum>(state);
    if constexpr (std::is_same_v<Sum, int>)
      c[i] = (i % 2 == 0 ? 1 : -1) * (0x7fffffff - static_cast<int>(next(state) % 65536));
    d[i] = c[i];
  }
  product<Element, Stored, Sum, M, N, K, LayoutA, LayoutB, Saturates><<<1, 32>>>(a, b, c, d, layout);
  if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
  int wrong = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      const int at = layout == wmma::mem_row_major ? i * stride + j : j * stride + i;
      double sum = value_of(c[at]);
      for (int e = 0; e < K; ++e) sum += value_of(a[place<LayoutA>(i, e)]) * value_of(b[place<LayoutB>(e, j)]);
      if constexpr (std::is_same_v<Sum, int>) {
        if (Saturates)
          sum = std::fmin(std::fmax(sum, std::numeric_limits<int>::min()), std::numeric_limits<int>::max());
        else
          sum = static_cast<int>(static_cast<unsigned>(static_cast<long long>(sum)));
      }
      wrong += value_of(d[at]) != sum;
    }
  // The elements between the rows are unchanged.
  unsigned touched = 0;
  for (int i = 0; i < most; ++i) touched += std::memcmp(&d[i], &c[i], sizeof(Sum)) != 0 ? 1 : 0;
  std::printf("%s m%dn%dk%d: %d wrong, %u elements changed\n", name, M, N, K, wrong, touched);
  failed += wrong;
}

using row = wmma::row_major;
using column = wmma::col_major;

int main() {
  for (void*& p : memory) cudaMallocManaged(&p, most * sizeof(double));
  const auto by_rows = wmma::mem_row_major, by_columns = wmma::mem_col_major;
  run<half, half, float, 16, 16, 16, row, column>("half", by_rows);
  run<half, half, half, 32, 8, 16, column, row>("half, sums of halves", by_columns);
  run<half, half, half, 8, 32, 16, row, row>("half, sums of halves", by_rows);
  run<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16, column, column>("bfloat16", by_columns);
  run<__nv_bfloat16, __nv_bfloat16, float, 8, 32, 16, row, column>("bfloat16", by_rows);
  run<wmma::precision::tf32, float, float, 16, 16, 8, row, row>("tf32", by_rows);
  run<signed char, signed char, int, 16, 16, 16, row, column>("int8", by_rows);
  run<signed char, signed char, int, 32, 8, 16, column, row, true>("int8, saturating", by_columns);
  run<unsigned char, unsigned char, int, 8, 32, 16, row, column, true>("uint8, saturating", by_rows);
  run<double, double, double, 8, 8, 4, row, column>("double", by_rows);
  for (void* p : memory) cudaFree(p);
  return failed == 0 ? 0 : 1;
}
