// covers: device library | tensor cores with nvcuda::wmma: D = alpha A B + beta C of halves, through shared memory
//
// 2 x 2 blocks of 4 warps, each for 16 x 16 elements of D, with 4 steps along k. In a step a warp loads A and B from
// shared memory, each as four matrices of 8 rows of 16 bytes: 2 * 4 * 16 warps = 128 loads. Rows that are 48 or 80
// bytes apart are in different banks. Without padding A's rows are 32 bytes apart, and every fourth is in the same
// banks: 1 more pass for each of 4 matrices. B's are 64 bytes apart, and every second is: 3 more passes for each. 16 in
// all, 64 times: 1024. Copies to the tiles are 2 stores per step and warp, of 8 bytes a lane. Half a warp writes 4 rows
// of A's tile or 2 of B's. With padding the last row ends in banks where the first begins: 1 more pass per half, 4 * 64
// = 256. C is loaded, and D stored, in pairs of floats: 4 requests a warp for each.
// count: padded | shared loads | 128
// count: padded | shared bank conflicts | 256
// count: padded | shared stores | 128
// count: padded | global store requests | 64
// count: bare | shared loads | 128
// count: bare | shared bank conflicts | 1024

#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace nvcuda;

constexpr int m = 64, n = 64, k = 64, tile = 32, step = 16;

// `PadA` and `PadB` are the numbers of halves after each row of a tile.
template <int PadA, int PadB>
__device__ void multiply(const half* a, const half* b, const float* c, float* d, float alpha, float beta) {
  constexpr int stride_a = step + PadA, stride_b = tile + PadB;
  __shared__ __align__(32) half tile_a[tile * stride_a];
  __shared__ __align__(32) half tile_b[step * stride_b];
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32;
  const int row = static_cast<int>(blockIdx.y) * tile, column = static_cast<int>(blockIdx.x) * tile;
  const int own_row = warp / 2 * 16, own_column = warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int at = 0; at < k; at += step) {
    // Each thread copies four halves, so 128 threads fill a tile of 512.
    const int ra = tid / 4, ca = tid % 4 * 4, rb = tid / 8, cb = tid % 8 * 4;
    *reinterpret_cast<uint2*>(&tile_a[ra * stride_a + ca]) =
        *reinterpret_cast<const uint2*>(&a[(row + ra) * k + at + ca]);
    *reinterpret_cast<uint2*>(&tile_b[rb * stride_b + cb]) =
        *reinterpret_cast<const uint2*>(&b[(at + rb) * n + column + cb]);
    __syncthreads();  // the tiles are written before they are read
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::load_matrix_sync(left, &tile_a[own_row * stride_a], stride_a);
    wmma::load_matrix_sync(right, &tile_b[own_column], stride_b);
    wmma::mma_sync(sum, left, right, sum);
    __syncthreads();  // the tiles have been read before the next ones are stored
  }
  const int corner = (row + own_row) * n + column + own_column;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> before;
  wmma::load_matrix_sync(before, c + corner, n, wmma::mem_row_major);
  for (int e = 0; e < sum.num_elements; ++e) sum.x[e] = alpha * sum.x[e] + beta * before.x[e];
  wmma::store_matrix_sync(d + corner, sum, n, wmma::mem_row_major);
}

__global__ void padded(const half* a, const half* b, const float* c, float* d, float alpha, float beta) {
  multiply<8, 8>(a, b, c, d, alpha, beta);
}

__global__ void bare(const half* a, const half* b, const float* c, float* d, float alpha, float beta) {
  multiply<0, 0>(a, b, c, d, alpha, beta);
}

// Returns a number in [-1, 1), the same on every machine.
float pseudo_random(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return static_cast<float>(static_cast<int>(i >> 8)) / 8388608.0f - 1.0f;
}

unsigned bits_of(const float* values, int count) {
  unsigned sum = 2166136261u;
  for (int i = 0; i < count; ++i) {
    unsigned bits;
    memcpy(&bits, &values[i], sizeof bits);
    sum = (sum ^ bits) * 16777619u;
  }
  return sum;
}

int main() {
  half *a, *b;
  float *c, *d;
  cudaMallocManaged(&a, m * k * sizeof(half));
  cudaMallocManaged(&b, k * n * sizeof(half));
  cudaMallocManaged(&c, m * n * sizeof(float));
  cudaMallocManaged(&d, m * n * sizeof(float));
  for (int i = 0; i < m * k; ++i) a[i] = __float2half(pseudo_random(i));
  for (int i = 0; i < k * n; ++i) b[i] = __float2half(pseudo_random(i + 100000));
  for (int i = 0; i < m * n; ++i) c[i] = pseudo_random(i + 200000);
  const float alpha = 1.25f, beta = -0.5f;
  for (int which = 0; which < 2; ++which) {
    for (int i = 0; i < m * n; ++i) d[i] = NAN;
    const dim3 grid(n / tile, m / tile);
    if (which == 0)
      padded<<<grid, 128>>>(a, b, c, d, alpha, beta);
    else
      bare<<<grid, 128>>>(a, b, c, d, alpha, beta);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    double worst = 0;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        double sum = 0;
        for (int at = 0; at < k; ++at)
          sum += static_cast<double>(__half2float(a[row * k + at])) * __half2float(b[at * n + column]);
        const double wanted = alpha * sum + beta * c[row * n + column];
        const double off = std::fabs(d[row * n + column] - wanted);
        if (!(off <= worst)) worst = off;
      }
    std::printf("%s rows: bits %08x, %s\n", which == 0 ? "padded" : "bare", bits_of(d, m * n),
                worst < 1e-5 ? "right" : "wrong");
    if (!(worst < 1e-5)) return 1;
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFree(d);
  return 0;
}
